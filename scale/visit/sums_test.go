package visit_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// randomBlock returns a block of edges between nodes of some parts, with as many edges as nodes and
// a hub, and random messages.
func randomBlock(r *rand.Rand, index, parts, width int) (*store.Block, []float32) {
	b := &store.Block{Index: index, First: int64(100 * index), PartPtr: []int32{0}}
	for range parts {
		rank := int32(0)
		for range r.IntN(6) {
			rank += 1 + int32(r.IntN(3))
			b.Rank = append(b.Rank, rank)
		}
		b.PartPtr = append(b.PartPtr, int32(len(b.Rank)))
	}
	var message []float32
	if n := len(b.Rank); n > 0 {
		for range 30 {
			b.Ends = append(b.Ends, int32(r.IntN(n)), int32(r.IntN(min(n, 2))))
			b.Part = append(b.Part, uint8(r.IntN(4)))
		}
	}
	for range b.NumEdges() * width {
		message = append(message, float32(r.NormFloat64()*math.Pow(10, float64(r.IntN(12)-6))))
	}
	return b, message
}

// Sums of blocks, whole or in pieces, encoded or not, and in any order, equal the sums of single
// messages.
func TestScatter(t *testing.T) {
	const parts, width, nodes = 3, 4, 20
	r := rand.New(rand.NewPCG(1, 1))
	for seed := range 40 {
		shift := kernel.FixedShift(1e7, 1000) - seed%3
		want, got := make([]*visit.Total, parts), make([]*visit.Total, parts)
		for p := range parts {
			want[p], got[p] = visit.NewTotal(nodes, width, shift), visit.NewTotal(nodes, width, shift)
		}
		seen := visit.All
		if seed%2 == 1 {
			seen = 1<<store.InTrain | 1<<store.InTest
		}
		var sums []*visit.Sums
		for i := range 4 {
			b, message := randomBlock(r, i, parts, width)
			for k, place := range b.Ends {
				if e := k / 2; seen.Has(b, e) {
					p := 0
					for place >= b.PartPtr[p+1] {
						p++
					}
					at := b.Rank[place]
					want[p].Count[at]++
					for j, v := range message[e*width:][:width] {
						want[p].Value[int(at)*width+j] += int64(math.Ldexp(float64(v), shift))
					}
				}
			}
			s := visit.Scatter{Most: seed % 4}
			err := s.Each(b, seen, message, width, shift, nil, func(s *visit.Sums) error {
				back, had, err := visit.DecodeSums(s.AppendBinary(nil, shift))
				if err != nil || had != shift || back.Block != i || back.Part != s.Part {
					t.Fatalf("decoded %+v with shift %d, %v", back, had, err)
				}
				sums = append(sums, back)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		r.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
		for _, s := range sums {
			if err := got[s.Part].Add(s); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: totals differ from those of the messages one by one", seed)
		}
	}
}

func TestDecodeSumsRefuses(t *testing.T) {
	s := visit.Sums{Width: 2, Rank: []int32{1, 4}, Count: []int32{1, 3}, Value: []int64{1, 2, 3, 4}}
	whole := s.AppendBinary(nil, 3)
	for n := range whole {
		if _, _, err := visit.DecodeSums(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(whole))
		}
	}
	if err := visit.NewTotal(4, 2, 3).Add(&s); err == nil {
		t.Error("a rank beyond the part is added")
	}
	if err := visit.NewTotal(5, 3, 3).Add(&s); err == nil {
		t.Error("sums of another width are added")
	}
}

// At a hub with 10^6 ends the largest possible messages are added without overflow.
func TestBound(t *testing.T) {
	const ends = 1e6
	b := &store.Block{PartPtr: []int32{0, 1}, Rank: []int32{0}, Ends: make([]int32, ends)}
	message := make([]float32, ends/2)
	for _, greatest := range []float32{math.MaxFloat32, 1, 0.75, math.SmallestNonzeroFloat32, 0} {
		for _, sign := range []float32{1, -1} {
			for i := range message {
				message[i] = sign * greatest
			}
			shift := kernel.FixedShift(greatest, ends)
			total := visit.NewTotal(1, 1, shift)
			var s visit.Scatter
			if err := s.Each(b, visit.All, message, 1, shift, nil, total.Add); err != nil {
				t.Fatal(err)
			}
			if got, want := math.Ldexp(float64(total.Value[0]), -shift), float64(sign*greatest)*ends; math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("sum of %v times %v: %v, want %v", ends, sign*greatest, got, want)
			}
			if greatest > 0 && math.Abs(float64(total.Value[0])) < 1<<59 {
				t.Errorf("sum of %v times %v is %d, which wastes bits", ends, sign*greatest, total.Value[0])
			}
		}
	}
}
