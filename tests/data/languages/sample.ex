defmodule Shop.Order do
  @moduledoc """
  Orders and what belongs to them.
  """

  use GenServer
  import Ecto.Query, only: [from: 2]
  alias Shop.{Line, Account}
  require Logger

  @max_lines 100
  @type t :: %__MODULE__{customer: String.t()}

  defstruct [:customer, lines: []]

  @doc """
  Pays from an account.
  """
  @spec pay(t(), Account.t()) :: :ok
  def pay(%__MODULE__{} = order, account) do
    Account.withdraw(account, total(order))
    Logger.info("paid")
  end

  def total(order) when is_map(order), do: Enum.sum(order.lines)

  defp price(line), do: line.price * line.count

  defmacro assert_paid(order) do
    quote do
      unquote(order)
    end
  end

  @impl true
  def init(state) do
    {:ok, state}
  end
end

defprotocol Shop.Payable do
  def total(thing)
end

defimpl Shop.Payable, for: Shop.Order do
  def total(order), do: Shop.Order.total(order)
end
