import React, { memo } from 'react'

type Props = { order: Order }

/** Shows an order. */
export const OrderView: React.FC<Props> = ({ order }) => {
  const [open, setOpen] = React.useState(false)
  const toggle = () => setOpen(!open)
  return <div onClick={toggle}>{order.lines.map((line) => <Line key={line.id} {...line} />)}</div>
}

export const Row = memo(function Row(props: Props) {
  return <tr />
})

export default function App() {
  return <OrderView order={load()} />
}
