package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
)

func TestLists(t *testing.T) {
	if got := lists.Map([]int{1, 20}, strconv.Itoa); !slices.Equal(got, []string{"1", "20"}) {
		t.Errorf("Map: %q", got)
	}
	if got := lists.Filter([]int{3, 1, 2}, func(x int) bool { return x > 1 }); !slices.Equal(got, []int{3, 2}) {
		t.Errorf("Filter: %v", got)
	}
	if got := lists.Where[int32]([]string{"a", "b", "a"}, func(i int, x string) bool { return x == "a" || i == 1 }); !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("Where: %v", got)
	}
	if got := lists.Places[int32]([]string{"a", "b", "a"}); len(got) != 2 || got["a"] != 2 || got["b"] != 1 {
		t.Errorf("Places: %v", got)
	}
	if got := lists.Inverse([]int32{2, 0}, 4); !slices.Equal(got, []int32{1, -1, 0, -1}) {
		t.Errorf("Inverse: %v", got)
	}
	if got := lists.Count([]int{3, 1, 2}, func(x int) bool { return x > 1 }); got != 2 {
		t.Errorf("Count: %d", got)
	}
	if got := lists.Sum([]float64{0.5, 1, 2}); got != 3.5 {
		t.Errorf("Sum: %v", got)
	}
	if got := lists.SumOf([]string{"a", "bcd"}, func(s string) int { return len(s) }); got != 4 {
		t.Errorf("SumOf: %d", got)
	}
	if got := lists.Take([]string{"a", "b", "c"}, []int32{2, 0, 2}); !slices.Equal(got, []string{"c", "a", "c"}) {
		t.Errorf("Take: %q", got)
	}
	if got := lists.TakeRows([]string{"a", "b", "c", "d", "e", "f"}, 2, []int32{2, 0}); !slices.Equal(got, []string{"e", "f", "a", "b"}) {
		t.Errorf("TakeRows: %q", got)
	}
	if got := lists.Range[int32](3); !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("Range: %v", got)
	}
	if got := lists.Repeat("x", 2); !slices.Equal(got, []string{"x", "x"}) {
		t.Errorf("Repeat: %q", got)
	}
	if got := lists.Convert[int32]([]float64{1.9, -1.9}); !slices.Equal(got, []int32{1, -1}) {
		t.Errorf("Convert: %v", got)
	}
}

// An empty list is not nil: in columns, nil means that there are no values of a kind.
func TestEmpty(t *testing.T) {
	if lists.TakeRows([]int(nil), 1, []int{0}) != nil || lists.TakeRows([]int{1}, 1, []int{}) == nil {
		t.Error("rows of nil are not nil, or none of a table are")
	}
	if lists.Map(nil, strconv.Itoa) == nil || lists.Take[int, int](nil, nil) == nil || lists.Range[int](0) == nil ||
		lists.Repeat(1, 0) == nil || lists.Convert[int, int](nil) == nil {
		t.Error("an empty list is nil")
	}
}
