package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Limits are the highest rates of the machine with the measured threads.
type Limits struct {
	FMA  float64     `json:"fma_gflops"` // multiply-adds in registers, which count as two operations each
	Copy []Bandwidth `json:"copy"`       // by ascending size
}

// Bandwidth is the rate of copying within some amount of memory.
type Bandwidth struct {
	Bytes int64   `json:"bytes"`             // source and destination together
	Rate  float64 `json:"gbytes_per_second"` // bytes read and bytes written
}

// The limits of a kernel.
const (
	LimitCopy = "copy"
	LimitFMA  = "fma"
)

// limitParts is how many parts of the budget a limit gets, because all shares depend on it.
const limitParts = 3

// copySizes range from the caches of one core to main memory.
var copySizes = []int64{256 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 64 << 20, 256 << 20}

// improve measures all limits again and keeps the better value of each.
func (m *meter) improve(l *Limits) error {
	if err := m.begin("multiply-adds"); err != nil {
		return err
	}
	l.FMA = max(l.FMA, m.multiplyAdds())
	if l.Copy == nil {
		l.Copy = make([]Bandwidth, len(copySizes))
	}
	for i, size := range copySizes {
		if err := m.begin(fmt.Sprintf("copy within %d KiB", size>>10)); err != nil {
			return err
		}
		l.Copy[i] = Bandwidth{size, max(l.Copy[i].Rate, m.copying(size))}
	}
	return nil
}

// steady is how often per second all threads together run f, which takes about ten microseconds, in
// the best stretch of a given number of calls. Threads continue between stretches, so that waking
// them costs nothing. A stretch in which another process used a core is not the best one.
func (m *meter) steady(stretch int, f func(thread int)) float64 {
	threads := m.pool.Threads()
	ends := make([][]time.Duration, threads)
	start := time.Now()
	m.pool.Rows(threads, 1, func(lo, hi int) {
		for thread := lo; thread < hi; thread++ {
			for i := 0; i <= stretch || time.Since(start) < limitParts*m.budget; i++ {
				f(thread)
				ends[thread] = append(ends[thread], time.Since(start))
			}
		}
	})
	all := slices.Concat(ends...)
	slices.Sort(all)
	best := 0.0
	for i := range all[:len(all)-stretch] {
		best = max(best, float64(stretch)/(all[i+stretch]-all[i]).Seconds())
	}
	return best
}

// stretch is the smallest number of calls in a stretch of steady. A call that began before the
// stretch counts fully, so there must be many calls.
func (m *meter) stretch() int { return 64 * m.pool.Threads() }

// multiplyAdds is the rate of multiply-adds of all threads together, in GFLOP/s.
func (m *meter) multiplyAdds() float64 {
	const loops = 1 << 12
	return m.steady(m.stretch(), func(int) { kernel.FMALoop(loops) }) * loops * float64(kernel.FMALoop(1)) / 1e9
}

// copying is the rate, in GB/s, of copying one half of some memory to the other; each thread copies
// a part.
func (m *meter) copying(bytes int64) float64 {
	const (
		block = 64 << 10 / 4 // elements; larger copies bypass the caches
		call  = 8 * block    // elements; one MiB is read and written
	)
	n, threads := int(bytes/8), m.pool.Threads()
	src, dst := make([]float32, n), make([]float32, n)
	for i := range src { // memory that was never written may be a single page of zeros
		src[i], dst[i] = 1, 1
	}
	at := make([]int, threads)
	// Each stretch covers all of the memory.
	stretch := max(m.stretch(), n/call)
	return 8 * call / 1e9 * m.steady(stretch, func(thread int) {
		lo, hi := n*thread/threads, n*(thread+1)/threads
		for left := call; left > 0; {
			from := lo + at[thread]
			k := min(block, hi-from, left)
			copy(dst[from:from+k], src[from:from+k])
			left -= k
			if at[thread] += k; from+k == hi {
				at[thread] = 0
			}
		}
	})
}

// CopyRate is the rate of copying within some amount of memory, interpolated between the measured
// sizes on a logarithmic scale.
func (l Limits) CopyRate(bytes int64) float64 {
	for i, b := range l.Copy {
		if bytes > b.Bytes {
			continue
		}
		if i == 0 {
			return b.Rate
		}
		a := l.Copy[i-1]
		at := math.Log(float64(bytes)/float64(a.Bytes)) / math.Log(float64(b.Bytes)/float64(a.Bytes))
		return a.Rate + at*(b.Rate-a.Rate)
	}
	return l.Copy[len(l.Copy)-1].Rate
}

// bind sets the limit and the share of a kernel, given its time and its work.
func (l Limits) bind(k Kernel) Kernel {
	rate := l.CopyRate(k.Footprint)
	memory, arithmetic := float64(k.Bytes)/rate/1e9, float64(k.Flops)/l.FMA/1e9
	k.Limit, k.LimitRate, k.LimitSeconds = LimitCopy, rate, memory
	if arithmetic > memory {
		k.Limit, k.LimitRate, k.LimitSeconds = LimitFMA, l.FMA, arithmetic
	}
	k.Share = k.LimitSeconds / k.Seconds
	return k
}
