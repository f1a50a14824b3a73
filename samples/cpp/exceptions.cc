// A withdrawal that throws when the money is gone. Both threads look before they withdraw, and nobody expects that the
// look can be out of date: the exception leaves a thread, and the program is terminated.
#include <mutex>
#include <stdexcept>
#include <thread>

#include <warpath.h>

class Account {
public:
    explicit Account(int balance) : balance(balance) {}

    bool has(int amount)
    {
        std::lock_guard<std::mutex> guard(lock);
        return balance >= amount;
    }

    void withdraw(int amount)
    {
        std::lock_guard<std::mutex> guard(lock);
        if (balance < amount)
            throw std::runtime_error("not enough money"); // BUG
        balance -= amount;
    }

private:
    std::mutex lock;
    int balance;
};

int main()
{
    int amount;
    warpath_input(&amount, sizeof amount, "amount");
    warpath_assume(amount >= 0);
    Account account(100);
    try {
        account.withdraw(101);
    } catch (const std::runtime_error &) {
        // As it should be: this much was never there.
    }
    const auto customer = [&] {
        if (account.has(amount))
            account.withdraw(amount);
    };
    std::thread first(customer), second(customer);
    first.join();
    second.join();
}
