// Variables and functions of C++: namespaces, classes, templates, the standard library's wrappers.
#include "say.h"

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

namespace store {
struct Base {
    int id;
};
class Shelf : public Base {
public:
    int books[3];
    static int shelves;
    __attribute__((noinline)) int add(int n);
    template <typename T>
    __attribute__((noinline)) T twice(T value)
    {
        HERE();
        return value + value;
    }
};
int Shelf::shelves = 3;
static Shelf shelf;
std::atomic<int> sold;
std::array<int, 4> prices;
std::mutex door;

int Shelf::add(int n)
{
    HERE();
    sold.fetch_add(n);
    return books[0] += n;
}
} // namespace store

namespace {
int private_count = 5;
}

int main()
{
    using namespace store;
    SAY_AS("store::shelf.id", shelf.id);
    SAY_AS("store::shelf.books[2]", shelf.books[2]);
    SAY_AS("store::Shelf::shelves", Shelf::shelves);
    SAY_AS("store::sold", sold);
    SAY_AS("store::prices[3]", prices[3]);
    SAY_AS("(anonymous namespace)::private_count", private_count);
    shelf.add(private_count);
    shelf.twice<int>(2);
    std::thread other([] {
        std::lock_guard<std::mutex> guard(door);
        shelf.add(1);
    });
    other.join();
    HERE();
    say_maps();
}
