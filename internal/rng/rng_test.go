package rng_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

func TestStreamIsAFunctionOfSeedAndName(t *testing.T) {
	names := [][]any{
		{}, {"split"}, {"split", 1}, {"split", 2}, {"split", -1}, {1, "split"}, {"split", "1"},
		{"ab", "c"}, {"a", "bc"}, {"abc"}, {"", "abc"}, {"abc", ""}, {0}, {0, 0},
	}
	seen := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 42, math.MaxUint64} {
		for _, name := range names {
			id := fmt.Sprintf("%d %#v", seed, name)
			first := rng.Stream(seed, name...).Uint64()
			if again := rng.Stream(seed, name...).Uint64(); again != first {
				t.Errorf("%s: %d, then %d", id, first, again)
			}
			if other, ok := seen[first]; ok {
				t.Errorf("%s and %s are the same stream", id, other)
			}
			seen[first] = id
		}
	}
}

func TestIntegerTypesAreOnePart(t *testing.T) {
	want := rng.Stream(7, 3).Uint64()
	for _, p := range []any{int8(3), int16(3), int32(3), int64(3), uint(3), uint8(3), uint16(3), uint32(3), uint64(3)} {
		if got := rng.Stream(7, p).Uint64(); got != want {
			t.Errorf("%T(3) is another stream than int(3)", p)
		}
	}
	if rng.Stream(7, -3).Uint64() != rng.Stream(7, int8(-3)).Uint64() {
		t.Error("int8(-3) is another stream than int(-3)")
	}
}

// TestValues pins the streams: a change here changes every seeded result.
func TestValues(t *testing.T) {
	r := rng.Stream(42, "split", 1)
	got := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
	want := [3]uint64{0x4ae2f8992e685728, 0xf8a04991b57f5ed4, 0xaf8cba1b4ec63b84}
	if got != want {
		t.Errorf("Stream(42, split, 1) = %#v, want %#v", got, want)
	}
}

func TestSourceStateContinues(t *testing.T) {
	s := rng.Source(42, "dropout")
	s.Uint64()
	state, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	want := s.Uint64()
	fresh := rng.Source(0)
	if err := fresh.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if got := fresh.Uint64(); got != want {
		t.Errorf("restored state gives %d, want %d", got, want)
	}
}

// TestNeighbouringStreams measures the correlation between streams whose names differ in one
// number, like those of folds and epochs.
func TestNeighbouringStreams(t *testing.T) {
	const draws = 20000
	a, b := rng.Stream(42, "epoch", 1), rng.Stream(42, "epoch", 2)
	var sum float64
	for range draws {
		sum += (a.Float64() - 0.5) * (b.Float64() - 0.5)
	}
	// The products have variance 1/144. The limit is five standard deviations of their mean.
	if limit := 5.0 / 12 / math.Sqrt(draws); math.Abs(sum/draws) > limit {
		t.Errorf("mean product %g, want below %g", sum/draws, limit)
	}
}

func TestOtherPartTypesPanic(t *testing.T) {
	defer func() {
		want := "rng: stream name part 1.5 has type float64, expected a string or an integer"
		if got := recover(); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	rng.Stream(1, 1.5)
}

func ExampleStream() {
	perm := func(fold int) []int { return rng.Stream(42, "split", fold).Perm(5) }
	fmt.Println(perm(1), perm(2), perm(1))
	// Output: [4 3 2 0 1] [0 4 1 3 2] [4 3 2 0 1]
}
