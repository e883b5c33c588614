package data_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

func TestTrainEachClass(t *testing.T) {
	for name, test := range map[string]struct {
		class, unit []int32
		parts, want [3][]int
	}{
		"nothing to do":         {[]int32{0, 1, 0, 1}, nil, [3][]int{{0, 1}, {2}, {3}}, [3][]int{{0, 1}, {2}, {3}}},
		"one item":              {[]int32{0, 0, 1, 2}, nil, [3][]int{{0}, {1, 2}, {3}}, [3][]int{{0, 2, 3}, {1}, nil}},
		"the first of two":      {[]int32{0, 1, 0, 1}, nil, [3][]int{{0}, {3}, {1, 2}}, [3][]int{{0, 1}, {3}, {2}}},
		"no class":              {[]int32{0, -1, 0, -1}, nil, [3][]int{{0}, {1}, {2, 3}}, [3][]int{{0}, {1}, {2, 3}}},
		"with its unit":         {[]int32{0, 1, 0, 1}, []int32{0, 1, 1, 2}, [3][]int{{0}, {3}, {1, 2}}, [3][]int{{0, 1, 2}, {3}, nil}},
		"two classes, a unit":   {[]int32{0, 1, 2, 2}, []int32{0, 1, 1, 2}, [3][]int{{0}, {3}, {1, 2}}, [3][]int{{0, 1, 2}, {3}, nil}},
		"nothing is trained":    {[]int32{0, 1}, nil, [3][]int{nil, {1}, {0}}, [3][]int{{0, 1}, nil, nil}},
		"nothing to train with": {nil, nil, [3][]int{}, [3][]int{}},
	} {
		parts := [3][]int{slices.Clone(test.parts[0]), slices.Clone(test.parts[1]), slices.Clone(test.parts[2])}
		data.TrainEachClass(test.class, test.unit, &parts)
		for p := range parts {
			if !slices.Equal(parts[p], test.want[p]) {
				t.Errorf("%s: parts %v, want %v", name, parts, test.want)
				break
			}
		}
	}
}
