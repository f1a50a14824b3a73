// A bounded buffer of std::mutex and std::condition_variable, one producer, two consumers.
//
// With -DBROKEN a consumer that was woken does not look again: another one may have been quicker.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <warpath.h>

template <typename T>
class BoundedBuffer {
public:
    explicit BoundedBuffer(std::size_t capacity) : capacity(capacity) {}

    void put(T item)
    {
        std::unique_lock<std::mutex> guard(lock);
        room.wait(guard, [this] { return items.size() < capacity; });
        items.push_back(item);
        filled.notify_one();
    }

    T take()
    {
        std::unique_lock<std::mutex> guard(lock);
#ifdef BROKEN
        if (items.empty())
            filled.wait(guard);
#else
        filled.wait(guard, [this] { return !items.empty(); });
#endif
        warpath_assert(!items.empty()); // BUG
        T item = items.front();
        items.pop_front();
        room.notify_one();
        return item;
    }

private:
    const std::size_t capacity;
    std::deque<T> items;
    std::mutex lock;
    std::condition_variable room, filled;
};

int main()
{
    BoundedBuffer<int> buffer(2);
    int taken[2] = {0, 0};
    std::thread producer([&] {
        buffer.put(1);
        buffer.put(2);
    });
    std::thread first([&] { taken[0] = buffer.take(); });
    std::thread second([&] { taken[1] = buffer.take(); });
    producer.join();
    first.join();
    second.join();
    warpath_assert(taken[0] + taken[1] == 3);
}
