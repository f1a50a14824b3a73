// Allocates, locks and starts threads in constructors, and posts and allocates in a signal handler that comes at any
// moment; exceptions leave what is done once.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <thread>
#include <vector>

static sem_t posted;

struct Early {
    std::mutex lock;
    std::vector<int> numbers;
    Early() {
        sem_init(&posted, 0, 0);
        std::lock_guard<std::mutex> guard(lock);
        for (int i = 0; i < 1000; i++) numbers.push_back(i);
        std::thread other([this] { numbers.pop_back(); });
        other.join();
    }
    ~Early() {
        std::lock_guard<std::mutex> guard(lock);
        numbers.clear();
    }
};

static Early early;
static volatile sig_atomic_t handled;

static void handler(int) {
    sem_post(&posted);
    handled = handled + 1;
}

int main() {
    std::signal(SIGALRM, handler);
    itimerval often{{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, nullptr);
    std::mutex lock;
    long sum = 0;
    while (handled < 200) {
        std::lock_guard<std::mutex> guard(lock);
        int *p = static_cast<int *>(std::malloc(64));
        sum += *p = 1;
        std::free(p);
    }
    itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    int taken = 0;
    while (sem_trywait(&posted) == 0) taken++;
    std::once_flag once;
    int attempts = 0;
    for (int i = 0; i < 2; i++) {
        try {
            std::call_once(once, [&] { if (attempts++ == 0) throw 1; });
        } catch (int) {
        }
    }
    std::thread quitter([] { pthread_exit(nullptr); });
    quitter.join();
    std::printf("%s %d\n", taken == handled && sum > 0 ? "all" : "lost", attempts);
}
