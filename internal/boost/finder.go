package boost

// finderBits is the size of a finder's table, which is small enough for the first-level cache.
const finderBits = 12

// finder finds the bin of a number. The keys of numbers (see ordered) are divided into ranges of
// equal length, and a table has the first bin of each range.
type finder struct {
	bounds []uint32 // keys of the upper bounds; the last one is the largest key
	low    uint32   // start of the first range
	shift  uint
	first  []uint8 // number of the first bin of each range, from 0
}

func newFinder(bounds []float32) finder {
	f := finder{bounds: make([]uint32, len(bounds))}
	for i, b := range bounds {
		f.bounds[i] = ordered(b)
	}
	f.bounds[len(bounds)-1] = 1<<32 - 1
	if len(bounds) == 1 {
		f.first = []uint8{0}
		f.shift = 32
		return f
	}
	f.low = f.bounds[0]
	span := f.bounds[len(bounds)-2] - f.low
	for span>>f.shift >= 1<<finderBits {
		f.shift++
	}
	f.first = make([]uint8, span>>f.shift+1)
	bin := 0
	for i := range f.first {
		for f.bounds[bin] < f.low+uint32(i)<<f.shift {
			bin++
		}
		f.first[i] = uint8(bin)
	}
	return f
}

// bin is the bin of a number that is not missing.
func (f *finder) bin(x float32) uint8 {
	k := ordered(x)
	if k <= f.low {
		return 1
	}
	i := min(int((k-f.low)>>f.shift), len(f.first)-1)
	b := f.first[i]
	for f.bounds[b] < k {
		b++
	}
	return b + 1
}
