package schema

import "math"

// welford is the number, the mean and the sum of squared deviations of numbers.
type welford struct {
	n        int
	mean, m2 float64
}

func (m *welford) add(v float64) { m.addTimes(v, 1) }

// addTimes takes a number so many times.
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

// meanScale are mean and standard deviation, or 1 where that is 0.
func (m *welford) meanScale() (mean, scale float64) {
	if m.n == 0 {
		return 0, 1
	}
	if scale = math.Sqrt(m.m2 / float64(m.n)); scale == 0 {
		scale = 1
	}
	return m.mean, scale
}

// Measured is Fit of a column whose rows were not kept, over the rows of training, of which there
// were some. The field has no name where the column is left out, and note says why unless no row of
// training has a value. Means and scales are from one pass, so their last bits may differ from those
// of Fit.
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

// rowsOf are the rows of each category, by those of each text.
func (b *Builder) rowsOf(r *result, texts []int32) []int {
	count := make([]int, len(r.text))
	for k, to := range r.of {
		count[to] += int(texts[k])
	}
	return count
}

// Classes are the categories of a label whose rows were not kept, how many rows of training have
// each, and how they are written.
func (b *Builder) Classes() (texts []string, count []int, n *Notation, err error) {
	r, err := b.result()
	if err != nil {
		return nil, nil, nil, err
	}
	return r.text, b.rowsOf(&r, b.train), r.notation.orNil(), nil
}

// Times is how times are written whose rows were not kept; nil where there are none.
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

// KeyNote says why a column that identifies its rows is no feature.
const KeyNote = "identifies its rows, as nearly all of its values are different"
