// Two objects that tell each other, each holding its own lock, which is on the heap.
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

struct Node {
    std::mutex lock;
    Node *peer = nullptr;
    int told = 0;
    void hear() {
        std::lock_guard<std::mutex> guard(lock);
        told++;
    }
    void tell() {
        std::lock_guard<std::mutex> guard(lock);
        peer->hear();
    }
};

int main() {
    auto left = std::make_unique<Node>(), right = std::make_unique<Node>();
    left->peer = right.get();
    right->peer = left.get();
    Node *first = left.get(), *second = right.get();
    std::thread one([first] { first->tell(); });
    std::thread other([second] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        second->tell();
    });
    one.join();
    other.join();
    return left->told + right->told != 2;
}
