# Orders and what belongs to them.
module Shop

using LinearAlgebra
import JSON: parse, print
include("lines.jl")

export Order, total

const MAX_LINES = 100

"""
What can be paid for.
"""
abstract type Payable end

"A line of an order."
struct Line{T<:Real}
    price::T
    count::Int
end

mutable struct Order <: Payable
    customer::String
    lines::Vector{Line}

    Order(customer) = new(customer, Line[])
end

"""
    total(order)

Adds up the lines.
"""
function total(order::Order)
    sum = 0
    for line in order.lines
        sum += price(line)
    end
    return sum
end

price(line::Line) = line.price * line.count

Base.show(io::IO, order::Order) = print(io, order.customer)

function Base.length(order::Order)::Int
    length(order.lines)
end

macro audited(call)
    return esc(call)
end

end # module
