package schema

import "math"

// welford has the number, the mean and the sum of squared deviations of numbers.
type welford struct {
	n        int
	mean, m2 float64
}

func (m *welford) add(v float64) { m.addTimes(v, 1) }

// addTimes adds a number several times.
func (m *welford) addTimes(v float64, times int) {
	if times == 0 {
		return
	}
	before := float64(m.n)
	m.n += times
	d, share := v-m.mean, float64(times)/float64(m.n)
	m.mean += d * share
	m.m2 += d * d * before * share
}

// meanScale returns the mean and the standard deviation, or 1 if it is 0.
func (m *welford) meanScale() (mean, scale float64) {
	if m.n == 0 {
		return 0, 1
	}
	if scale = math.Sqrt(m.m2 / float64(m.n)); scale == 0 {
		scale = 1
	}
	return m.mean, scale
}

// Measured is Fit for a column whose rows were not kept, over the training rows; there must be at
// least one. If the column is left out, the field has no name; note is the reason, except if no
// training row has a value. Means and scales are computed in one pass, so their last bits may differ
// from those of Fit.
func (b *Builder) Measured(rows int) (f Field, note string, err error) {
	r, err := b.result()
	switch {
	case err != nil || r.note != "":
		return f, r.note, err
	case r.key:
		return f, KeyNote, nil
	}
	f = Field{Name: b.name, Kind: KindCategory, Notation: r.notation.orNil()}
	if !r.numeric {
		if f.measure(r.text, b.rowsOf(&r, b.train), b.o.Want == CategoryOnly); f.Width == 0 {
			return Field{}, "", nil
		}
		return f, "", nil
	}
	spread := b.spread
	for k, v := range r.values {
		spread.addTimes(v, int(b.train[k]))
	}
	if spread.n == 0 {
		return Field{}, "", nil
	}
	f.Kind, f.Gaps = KindNumber, spread.n < rows
	f.Mean, f.Scale = spread.meanScale()
	return f, "", nil
}

// rowsOf returns the number of rows of each category, given those of each text.
func (b *Builder) rowsOf(r *result, texts []int32) []int {
	count := make([]int, len(r.text))
	for k, to := range r.of {
		count[to] += int(texts[k])
	}
	return count
}

// Classes returns the categories of a label whose rows were not kept, the number of training rows
// of each, and the notation.
func (b *Builder) Classes() (texts []string, count []int, n *Notation, err error) {
	r, err := b.result()
	if err != nil {
		return nil, nil, nil, err
	}
	return r.text, b.rowsOf(&r, b.train), r.notation.orNil(), nil
}

// Times is the notation of times whose rows were not kept; nil if there are none.
func (b *Builder) Times() (*Notation, error) {
	if b.present == 0 {
		return nil, nil
	}
	r, err := b.result()
	if err != nil || r.notation.Time != "" {
		return &r.notation, err
	}
	ends := []float64{b.seen.min, b.seen.max}
	if r.values != nil {
		ends = r.values
	}
	r.notation.Time, err = b.unit(ends)
	return &r.notation, err
}

// KeyNote says why a column that identifies its rows is not a feature.
const KeyNote = "identifies its rows: nearly all values are different"
