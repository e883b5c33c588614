package bench

import (
	"math"
	"runtime"
	"testing"
)

func TestParseTicks(t *testing.T) {
	const machine = "cpu  100 1 20 700 30 4 5 6 0 0\ncpu0 1 2 3\n"
	const process = "42 (a) name) R 1 2 3 4 5 6 7 8 9 10 60 7 0 0 20"
	for _, test := range []struct {
		name, machine, process string
		want                   ticks
	}{
		{"as Linux writes it", machine, process, ticks{total: 866, busy: 136, own: 67, ok: true}},
		{"too few fields of the machine", "cpu 1 2 3\n", process, ticks{}},
		{"no numbers", "cpu a b c d e f g h\n", process, ticks{}},
		{"another line", "intr 1 2 3 4 5 6 7 8\n", process, ticks{}},
		{"too few fields of the process", machine, "42 (a) R 1", ticks{}},
		{"no number of the process", machine, "42 (a) R 1 2 3 4 5 6 7 8 9 10 x y", ticks{}},
		{"nothing", "", "", ticks{}},
	} {
		if got := parseTicks([]byte(test.machine), []byte(test.process)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestNeighbours(t *testing.T) {
	a := ticks{total: 1000, busy: 400, own: 100, ok: true}
	for _, test := range []struct {
		name string
		b    ticks
		want float64
		ok   bool
	}{
		{"half of a half", ticks{1200, 500, 150, true}, 0.25, true},
		{"alone", ticks{1200, 500, 200, true}, 0, true},
		{"own time counted later", ticks{1200, 500, 210, true}, 0, true},
		{"no time passed", a, 0, false},
		{"unknown", ticks{}, 0, false},
	} {
		if got, ok := shareOf(a, test.b); math.Abs(got-test.want) > 1e-12 || ok != test.ok {
			t.Errorf("%s: %v, %v, want %v, %v", test.name, got, ok, test.want, test.ok)
		}
	}
	if n := WatchNeighbours(); n.start.ok != (runtime.GOOS == "linux") {
		t.Errorf("on %s: %+v", runtime.GOOS, n.start)
	}
}
