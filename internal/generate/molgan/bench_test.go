package molgan

import (
	"testing"
)

// BenchmarkIteration measures one update of the discriminator and a fifth of an update of generator
// and reward network, at the sizes of QM9.
func BenchmarkIteration(b *testing.B) {
	forms(func(name string, of Config) {
		b.Run(name, func(b *testing.B) {
			c := Default()
			c.RGCN, c.GMPool, c.EHGNN, c.Samples = of.RGCN, of.GMPool, of.EHGNN, 100
			d := chains(QM9, newRand(b), 200)
			t, err := newTrainer(b.Context(), d, all32(200), c, Options{Judge: &Judge{Toolkit: toy{}, Space: QM9, Threads: 1}, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if err := t.iterate(b.Context()); err != nil || t.Diverged != 0 {
					b.Fatal(err, t.Diverged)
				}
			}
		})
	})
}
