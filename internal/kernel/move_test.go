package kernel

import "testing"

func TestTranspose(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {8, 8}, {7, 8}, {16, 9}, {33, 31}, {64, 40}, {70, 129}} {
			rows, cols := s[0], s[1]
			x, dst := randn(newRand(1), rows*cols), randn(newRand(2), rows*cols)
			want := make([]float32, rows*cols)
			for i := range rows {
				for j := range cols {
					want[j*rows+i] = x[i*cols+j]
				}
			}
			Transpose(dst, x, rows, cols)
			sameBits(t, name("%dx%d", rows, cols), dst, want)
		}
	})
}

func TestGatherRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{0, 1, 2, 7, 16, 33} {
			r := newRand(uint64(d))
			x, at := randn(r, 20*d), ids(r, 37, 20)
			dst := randn(r, len(at)*d)
			var want []float32
			for _, id := range at {
				want = append(want, x[int(id)*d:int(id+1)*d]...)
			}
			GatherRows(dst, x, at, d)
			sameBits(t, name("d=%d", d), dst, want)
			GatherRows(nil, x, nil, d)
		}
	})
}

func BenchmarkGatherRows(b *testing.B) {
	for _, d := range []int{4, 16, 32, 128} {
		for l := levelGeneric; l <= levelAVX512; l++ {
			b.Run(name("d=%d/%v", d, l), func(b *testing.B) {
				withLevel(b, l)
				r := newRand(1)
				x, at := randn(r, 20000*d), ids(r, 80000, 20000)
				dst := make([]float32, len(at)*d)
				b.SetBytes(int64(8 * len(dst)))
				for b.Loop() {
					GatherRows(dst, x, at, d)
				}
			})
		}
	}
}
