{-# LANGUAGE OverloadedStrings #-}
-- | Orders and what belongs to them.
module Shop.Order
  ( Order (..)
  , total
  ) where

import qualified Data.Map as Map
import Data.List (sortOn)

-- | What a customer buys.
data Order = Order
  { customer :: String
  , items :: [Line]
  }
  deriving (Show, Eq)

data Status = Open | Paid Int

newtype Money = Money Double

type Handler = Order -> IO ()

-- | What can be paid for.
class Payable a where
  totalOf :: a -> Double
  pay :: a -> IO ()

instance Payable Order where
  totalOf = total
  pay order = withdraw (total order)

-- | Adds up the lines.
total :: Order -> Double
total order = sum (map price (items order))
  where
    price line = lineCount line * linePrice line

maxLines :: Int
maxLines = 100

infixl 6 |+|
(|+|) :: Money -> Money -> Money
Money a |+| Money b = Money (a + b)

main :: IO ()
main = do
  order <- readOrder
  print (total order)
