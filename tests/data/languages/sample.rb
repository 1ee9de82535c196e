require 'json'
require_relative "shop/base"

# Orders and what belongs to them.
module Shop
  VERSION = "1.0"

  class Order < Base
    include Comparable
    attr_accessor :customer, :lines
    MAX_LINES = 100

    # Makes an order.
    # @param customer [String]
    def initialize(customer)
      @customer = customer
      @lines = []
    end

    def self.open(path)
      new(JSON.parse(File.read(path)))
    end

    def <=>(other)
      total <=> other.total
    end

    def total
      lines.sum { |line| line.price * line.count }
    end

    def paid?
      !!@paid
    end

    class << self
      def count
        @count ||= 0
      end
    end
  end

  def self.run(argv)
    Order.open(argv.first).total
  end
end

def main = Shop.run(ARGV)

describe Shop::Order do
  it "adds up" do
    expect(order.total).to eq(3)
  end
end
