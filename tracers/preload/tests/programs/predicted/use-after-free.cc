// A session that is looked up under the lock and used behind it. Who closes it comes late.
#include <chrono>
#include <mutex>
#include <thread>

struct Session {
    int id = 1;
    int hits = 0;
};

static std::mutex lock;
static Session *current;

static void serve() {
    Session *mine;
    {
        std::lock_guard<std::mutex> guard(lock);
        mine = current;
    }
    if (mine) mine->hits++;
}

static void close_it() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Session *old;
    {
        std::lock_guard<std::mutex> guard(lock);
        old = current;
        current = nullptr;
    }
    delete old;
}

int main() {
    current = new Session;
    std::thread one(serve), other(close_it);
    one.join();
    other.join();
}
