// The largest of three offers, kept in a std::atomic by compare-and-exchange; the offers are inputs.
//
// With -DBROKEN the largest is loaded, compared and stored in three steps.
#include <atomic>
#include <thread>
#include <vector>

#include <warpath.h>

static std::atomic<int> largest{0};

static void offer(int amount)
{
#ifdef BROKEN
    if (largest.load() < amount)
        largest.store(amount);
#else
    int seen = largest.load();
    while (seen < amount && !largest.compare_exchange_weak(seen, amount)) {
    }
#endif
}

int main()
{
    static const char *const names[] = {"offer1", "offer2", "offer3"};
    int offers[3];
    for (int n = 0; n < 3; n++) {
        warpath_input(&offers[n], sizeof offers[n], names[n]);
        warpath_assume(offers[n] >= 0);
    }
    std::vector<std::thread> threads;
    for (int amount : offers)
        threads.emplace_back(offer, amount);
    for (std::thread &thread : threads)
        thread.join();
    for (int amount : offers)
        warpath_assert(largest.load() >= amount); // BUG
}
