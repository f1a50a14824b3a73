// A queue whose length is looked at without its lock.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

struct Queue {
    std::mutex lock;
    int items[8];
    int length = 0;
    void put(int item) {
        std::lock_guard<std::mutex> guard(lock);
        items[length++] = item;
    }
    bool empty() { return length == 0; }
};

static Queue queue;

int main() {
    std::thread putter([] { queue.put(7); });
    std::thread looker([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (queue.empty()) std::puts("nothing yet");
    });
    putter.join();
    looker.join();
}
