package draw

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func newTestCanvas(w, h vg.Length) draw.Canvas { return draw.New(vgsvg.New(w, h)) }

func distance(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// Distances in the plane are those in the graph where the plane has room for them.
func TestLayout(t *testing.T) {
	chain, grid := []int32{}, []int32{}
	for v := range int32(11) {
		chain = append(chain, v, v+1)
	}
	const side = 6
	for v := range int32(side * side) {
		if v%side < side-1 {
			grid = append(grid, v, v+1)
		}
		if v < side*(side-1) {
			grid = append(grid, v+side, v, v, v) // and a loop
		}
	}
	for _, test := range []struct {
		name        string
		nodes       int
		ends        []int32
		far         [2]int // the pair that is the farthest
		edge, apart float64
	}{
		{"chain", 12, chain, [2]int{0, 11}, 0.05, 11},
		{"grid", side * side, grid, [2]int{0, side*side - 1}, 0.35, (side - 1) * math.Sqrt2},
	} {
		points, err := Layout(test.nodes, test.ends)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Layout(test.nodes, test.ends); !slices.Equal(points, again) {
			t.Errorf("%s: the same graph has another layout", test.name)
		}
		for e := 0; e < len(test.ends); e += 2 {
			u, v := test.ends[e], test.ends[e+1]
			if d := distance(points[u], points[v]); u != v && math.Abs(d-1) > test.edge {
				t.Errorf("%s: edge %d-%d is %.2f long", test.name, u, v, d)
			}
		}
		if d := distance(points[test.far[0]], points[test.far[1]]); d < 0.9*test.apart || d > 2*test.apart {
			t.Errorf("%s: the ends are %.2f apart, want %.2f", test.name, d, test.apart)
		}
		if xmin, xmax, ymin, ymax := bounds(points); xmax-xmin < ymax-ymin-1e-9 {
			t.Errorf("%s: %v wide and %v high", test.name, xmax-xmin, ymax-ymin)
		}
	}
}

// Components lie apart, nodes without edges too.
func TestLayoutComponents(t *testing.T) {
	var ends []int32
	for k := range int32(5) { // triangles
		ends = append(ends, 3*k, 3*k+1, 3*k+1, 3*k+2, 3*k+2, 3*k)
	}
	points, err := Layout(20, ends)
	if err != nil {
		t.Fatal(err)
	}
	for u := range 20 {
		for v := range u {
			together := u < 15 && u/3 == v/3
			if d := distance(points[u], points[v]); together && math.Abs(d-1) > 0.05 || !together && d < 0.99 {
				t.Errorf("nodes %d and %d are %.2f apart", u, v, d)
			}
		}
	}
	if points, err := Layout(0, nil); err != nil || len(points) != 0 {
		t.Errorf("no nodes: %v, %v", points, err)
	}
	if _, err := Layout(MaxLayout+1, nil); err == nil || !strings.Contains(err.Error(), "expected at most 2000") {
		t.Errorf("error %v", err)
	}
}
