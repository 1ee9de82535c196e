"""What Go's variables hold that channels, type assertions and switches give."""

from __future__ import annotations

from tests.graph.memory import graph, uses

BOX = """
    package box
    type Box struct{}
    func (b Box) Open() {}
    type Lid struct{}
    func (l Lid) Open() {}
    type Line struct {
        Boxes chan Box
        Lids, Others <-chan *Lid
    }
    func (l *Line) Lids2() <-chan Lid { return nil }
    """
MAIN = """
    package main
    import "m/box"
    func f(line *box.Line, any interface{}, sent <-chan *box.Box) {
        first := <-line.Boxes
        first.Open()
        second, ok := <-line.Others
        second.Open()
        third, _ := any.(box.Box)
        third.Open()
        if fourth, ok := any.(*box.Lid); ok {
            fourth.Open()
        }
        select {
        case fifth := <-line.Boxes:
            fifth.Open()
        case sixth, ok := <-line.Lids:
            sixth.Open()
        }
        seventh := <-sent
        seventh.Open()
        eighth := <-line.Lids2()
        eighth.Open()
        switch it := any.(type) {
        case box.Box:
            it.Open()
        case *box.Lid:
            it.Open()
        case box.Line, *box.Line:
            it.Open()
        }
        sum, diff := 1 + 2, <-line.Boxes
        diff.Open()
    }
    """


def test_what_channels_assertions_and_type_switches_give() -> None:
    made = graph({"go.mod": "module m\n", "box/box.go": BOX, "main.go": MAIN})
    opened = sorted(each for each in uses(made, "main.go") if each[1].endswith(".Open"))
    assert opened == [
        (6, "Box.Open"), (8, "Lid.Open"), (10, "Box.Open"), (12, "Lid.Open"), (16, "Box.Open"),
        (18, "Lid.Open"), (21, "Box.Open"), (23, "Lid.Open"), (26, "Box.Open"), (28, "Lid.Open"),
        (33, "Box.Open"),
    ]  # fmt: skip
