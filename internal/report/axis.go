package report

import (
	"cmp"
	"math"
	"slices"
)

// Axis is an axis of a Chart. Its ends are ticks.
type Axis struct {
	Name      string // with the unit in brackets
	Low, High float64
	Log       bool
	Ticks     []float64
	// Narrow are the ticks of an x axis in a narrow plot.
	Narrow []float64
	// Labels name the values 0, 1, and so on, of an axis of choices; nil for numbers.
	Labels []string
	// Decimals is the number of decimals of ticks and hover values; negative for three significant digits.
	Decimals int
}

// mostTicks is how many intervals an axis has at most.
const mostTicks = 5

// LinearAxis covers values from low to high, rounded to ticks of 1, 2 or 5 times a power of ten.
func LinearAxis(name string, low, high float64) Axis {
	low, high = drawable(low), drawable(high)
	if !(high-low > math.Max(1e-100, closest*math.Max(math.Abs(low), math.Abs(high)))) {
		room := max(0.5, math.Abs(low)/2)
		low, high = low-room, low+room
	}
	step := niceStep((high - low) / mostTicks)
	// Rounding the ends can add two intervals; then the next step is enough.
	from, to := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	if to-from > mostTicks {
		step = niceStep(step * 1.01)
		from, to = math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	}
	a := Axis{Name: name, Low: rounded(from * step), High: rounded(to * step), Decimals: -1}
	for k := from; k <= to; k++ {
		a.Ticks = append(a.Ticks, rounded(k*step))
	}
	a.Narrow = a.few()
	return a
}

// few returns the ticks of a narrow axis: its ends, and the middle if it is 1, 2 or 5 times a power of ten. Otherwise
// it adds 0 or the tick nearest to the middle.
func (a Axis) few() []float64 {
	n := len(a.Ticks) - 1
	if n <= 3 {
		return a.Ticks
	}
	half := rounded((a.High - a.Low) / 2)
	middle := a.Ticks[n/2]
	switch {
	case n%2 == 1 && niceStep(half) == half && math.Mod(a.Low, half) == 0:
		middle = rounded(a.Low + half)
	case a.Low < 0 && a.High > 0:
		middle = 0
	}
	return []float64{a.Low, middle, a.High}
}

// closest is the smallest relative difference of values that get their own ticks between them.
const closest = 1e-9

// drawable replaces NaN by 0 and infinity by a large value.
func drawable(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -1e100), 1e100)
}

// ScoreAxis is from 0 to 1.
func ScoreAxis(name string) Axis {
	return Axis{Name: name, High: 1, Ticks: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, Narrow: []float64{0, 0.5, 1}, Decimals: 3}
}

// LogAxis covers positive values from low to high.
func LogAxis(name string, low, high float64) Axis {
	low = max(drawable(low), 1e-12)
	high = drawable(high)
	high = max(high, low*1.0001)
	a := Axis{Name: name + ", log", Log: true, Decimals: -1}
	within := func(steps []float64) (out []float64) {
		for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
			for _, s := range steps {
				out = append(out, rounded(s*math.Pow(10, e)))
			}
		}
		for len(out) > 1 && out[1] <= low*(1+1e-9) {
			out = out[1:]
		}
		for len(out) > 2 && out[len(out)-2] >= high*(1-1e-9) {
			out = out[:len(out)-1]
		}
		return out
	}
	for _, steps := range [][]float64{{1, 2, 5}, {1, 5}, {1}} {
		if a.Ticks = within(steps); len(a.Ticks) <= mostTicks+1 {
			break
		}
	}
	for len(a.Ticks) > mostTicks+1 { // every second power, including both ends
		last := a.Ticks[len(a.Ticks)-1]
		var few []float64
		for i := 0; i < len(a.Ticks); i += 2 {
			few = append(few, a.Ticks[i])
		}
		if few[len(few)-1] < last {
			few = append(few, rounded(few[len(few)-1]*few[1]/few[0]))
		}
		a.Ticks = few
	}
	last := len(a.Ticks) - 1
	a.Low, a.High = a.Ticks[0], a.Ticks[last]
	if a.Narrow = a.Ticks; last > 2 {
		a.Narrow = []float64{a.Low, a.middle(), a.High}
	}
	return a
}

// middle is the tick of a logarithmic axis nearest to its middle; a power of ten is preferred if there is one in the middle half.
func (a Axis) middle() float64 {
	far := func(v float64) float64 {
		d := math.Abs(a.At(v) - 0.5)
		if e := math.Log10(v); d <= 0.25 && math.Abs(e-math.Round(e)) < 1e-9 {
			return d - 1
		}
		return d
	}
	return slices.MinFunc(a.Ticks, func(v, w float64) int { return cmp.Compare(far(v), far(w)) })
}

// ChoiceAxis has a place for each choice.
func ChoiceAxis(name string, choices []string) Axis {
	a := Axis{Name: name, Low: -0.5, High: float64(len(choices)) - 0.5, Decimals: -1, Labels: choices}
	for i := range choices {
		a.Ticks = append(a.Ticks, float64(i))
	}
	if a.Narrow = a.Ticks; len(choices) > 4 {
		a.Narrow = []float64{0, float64(len(choices) - 1)}
	}
	return a
}

// AxisFor is a LogAxis if all values are positive and the largest is at least 50 times the smallest,
// else a LinearAxis, which starts at 0 if zero is set.
func AxisFor(name string, low, high float64, zero bool) Axis {
	if low > 0 && high >= 50*low {
		return LogAxis(name, low, high)
	}
	if zero {
		low, high = min(low, 0), max(high, 0)
	}
	return LinearAxis(name, low, high)
}

// niceStep is the smallest 1, 2 or 5 times a power of ten that is not below a step.
func niceStep(step float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(step)))
	for _, k := range []float64{1, 2, 5} {
		if k*p >= step*0.999 {
			return k * p
		}
	}
	return 10 * p
}

// rounded removes digits added by rounding errors, as in 0.30000000000000004.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	p := math.Pow(10, 11-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*p) / p
}

// At is the position of a value on the axis, from 0 to 1; values beyond the ends are placed at the ends.
func (a Axis) At(v float64) float64 {
	low, high := a.Low, a.High
	if a.Log {
		low, high, v = math.Log(low), math.Log(high), math.Log(max(v, a.Low))
	}
	return min(max((v-low)/(high-low), 0), 1)
}

// Text formats a value of the axis.
func (a Axis) Text(v float64) string {
	if k := int(v); a.Labels != nil && float64(k) == v && k >= 0 && k < len(a.Labels) {
		return a.Labels[k]
	}
	if a.Decimals < 0 {
		return Significant(v)
	}
	return trimZeros(Fixed(v, a.Decimals))
}
