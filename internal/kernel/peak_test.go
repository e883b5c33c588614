package kernel

import "testing"

func TestFMALoop(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		one := FMALoop(1)
		if lanes := map[simdLevel]int64{levelGeneric: 1, levelAVX2: 8, levelAVX512: 16}[level]; one <= 0 || one%(2*lanes) != 0 {
			t.Errorf("a round has %d operations of %d lanes", one, lanes)
		}
		for _, n := range []int{-1, 0, 1, 1000} {
			if got, want := FMALoop(n), int64(max(n, 0))*one; got != want {
				t.Errorf("FMALoop(%d) = %d, want %d", n, got, want)
			}
		}
		if n := testing.AllocsPerRun(10, func() { FMALoop(10) }); n > 0 {
			t.Errorf("%v allocations per call", n)
		}
	})
}

func BenchmarkFMALoop(b *testing.B) {
	for l := levelGeneric; l <= levelAVX512; l++ {
		b.Run(l.String(), func(b *testing.B) {
			withLevel(b, l)
			var flop int64
			for b.Loop() {
				flop += FMALoop(1e5)
			}
			b.ReportMetric(float64(flop)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}
