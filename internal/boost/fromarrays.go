package boost

import (
	"fmt"
	"math"
	"slices"
)

// FromArrays makes a model from the result of Arrays. It ignores other arrays, for example the "gains" of older models.
// The arrays may be untrusted: every number is checked, so that a model returned without an error predicts without a
// panic and in bounded time.
func FromArrays(arrays map[string][]float32) (*Model, error) {
	r := reader{arrays: arrays, m: &Model{starts: []int32{0}}}
	for _, read := range []func() error{r.shape, r.categories, r.sets, r.trees} {
		if err := read(); err != nil {
			return nil, fmt.Errorf("boost: %w", err)
		}
	}
	return r.m, nil
}

// reader checks arrays and makes a model from them.
type reader struct {
	arrays map[string][]float32
	m      *Model
}

// whole returns entry i of an array, which must be a whole number from lo to hi.
func (r *reader) whole(name string, i, lo, hi int) (int, error) {
	v := r.arrays[name][i]
	if !(v >= float32(lo) && v <= float32(hi)) || v != float32(int(v)) {
		return 0, fmt.Errorf("array %s: entry %d is %v, expected a whole number from %d to %d", name, i, v, lo, hi)
	}
	return int(v), nil
}

// finite returns entry i of an array, which must be a finite number of at least lo.
func (r *reader) finite(name string, i int, lo float32) (float32, error) {
	v := r.arrays[name][i]
	if v-v != 0 || v < lo {
		return 0, fmt.Errorf("array %s: entry %d is %v, expected a finite number of at least %v", name, i, v, lo)
	}
	return v, nil
}

// length checks the length of an array.
func (r *reader) length(name string, n int) error {
	if len(r.arrays[name]) != n {
		return fmt.Errorf("array %s has %d entries, expected %d", name, len(r.arrays[name]), n)
	}
	return nil
}

// counts reads an array of counts that must sum to the length of another array.
func (r *reader) counts(name, of string, lo, hi int) ([]int, error) {
	out := make([]int, len(r.arrays[name]))
	sum := 0
	for i := range out {
		n, err := r.whole(name, i, lo, hi)
		if err != nil {
			return nil, err
		}
		out[i] = n
		sum += n
	}
	if sum != len(r.arrays[of]) {
		return nil, fmt.Errorf("array %s has %d entries, expected the sum %d of array %s", of, len(r.arrays[of]), sum, name)
	}
	return out, nil
}

func (r *reader) shape() error {
	if err := r.length(arrayShape, 2); err != nil {
		return err
	}
	var err error
	if r.m.outputs, err = r.whole(arrayShape, 0, 1, 1<<16); err != nil {
		return err
	}
	if r.m.columns, err = r.whole(arrayShape, 1, 1, maxColumns); err != nil {
		return err
	}
	if err := r.length(arrayBase, r.m.outputs); err != nil {
		return err
	}
	for i := range r.m.outputs {
		if _, err := r.finite(arrayBase, i, -math.MaxFloat32); err != nil {
			return err
		}
	}
	r.m.base = slices.Clone(r.arrays[arrayBase])
	return nil
}

func (r *reader) categories() error {
	counts, err := r.counts(arrayCodeCounts, arrayCodes, 1, maxBins-1)
	if err != nil {
		return err
	}
	if err := r.length(arrayCategorial, len(counts)); err != nil {
		return err
	}
	codes, least := r.arrays[arrayCodes], 0
	for i, n := range counts {
		c, err := r.whole(arrayCategorial, i, least, r.m.columns-1)
		if err != nil {
			return err
		}
		least = c + 1
		own := slices.Clone(codes[:n])
		codes = codes[n:]
		for j, v := range own {
			if v != v || j > 0 && v <= own[j-1] {
				return fmt.Errorf("array %s: the categories of column %d are not ascending", arrayCodes, c)
			}
		}
		r.m.lookups = append(r.m.lookups, lookup{c, own})
	}
	return nil
}

func (r *reader) sets() error {
	counts, err := r.counts(arraySetCounts, arraySetBins, 0, 256)
	if err != nil {
		return err
	}
	at := 0
	for _, n := range counts {
		var s set
		for range n {
			b, err := r.whole(arraySetBins, at, 0, 255)
			if err != nil {
				return err
			}
			s[b/64] |= 1 << (b % 64)
			at++
		}
		r.m.sets = append(r.m.sets, s)
	}
	return nil
}
