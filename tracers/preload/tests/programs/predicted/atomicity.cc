// A deposit under the lock, and a correction that forgets it.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::atomic<int> balance;

static void deposit(int amount) {
    std::lock_guard<std::mutex> guard(lock);
    int now = balance.load();
    balance.store(now + amount);
}

static void correct() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    balance.store(100);
}

int main() {
    std::thread one(deposit, 10), other(correct);
    one.join();
    other.join();
    return balance.load() != 100;
}
