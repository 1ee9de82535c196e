using System;
using System.Collections.Generic;
using Json = System.Text.Json.JsonSerializer;

namespace Shop.Orders
{
    /// <summary>What can be paid for.</summary>
    public interface IPayable
    {
        decimal Total { get; }
        void Pay(Account account);
    }

    public enum Status { Open, Paid = 2 }

    public readonly struct Money(decimal amount)
    {
        public decimal Amount { get; } = amount;
        public static Money operator +(Money a, Money b) => new(a.Amount + b.Amount);
    }

    public record Line(string Product, int Count);

    public delegate void PaidHandler(Order order);

    [Serializable]
    public class Order<T> : IPayable where T : class
    {
        private readonly List<Line> _lines = new();
        public const int MaxLines = 100;
        public event PaidHandler? Paid;

        public Order(string customer)
        {
            Customer = customer;
        }

        public string Customer { get; set; }

        public decimal Total => Sum(_lines);

        /// <summary>
        /// Pays from an account.
        /// </summary>
        [Obsolete]
        public async void Pay(Account account)
        {
            int Round(decimal value) => (int)Math.Round(value);
            account.Withdraw(Round(Total));
            Paid?.Invoke(this);
            var report = new Report(this);
            Json.Serialize(report);
        }

        ~Order() { }
    }
}
