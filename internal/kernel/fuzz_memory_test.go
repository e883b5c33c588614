package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// memory hands out the slices of one problem, each between words that must not be written. It
// places a slice in one of three ways: at any offset from an aligned address, directly before a
// page that cannot be read, or directly after such a page. Code that accesses memory outside a
// slice then changes the words, computes with the NaN in them, or faults.
type memory struct {
	place  *rand.Rand
	slices []fenced
	held   int // number of slices of the problem; the others belong to one attempt
}

// fenced is a slice with the words around it.
type fenced struct {
	before, words, after []uint32
	copy                 []uint32 // copy of the contents, after hold
}

const (
	fence     = 40         // words on each side
	fenceWord = 0x7fa5c3e1 // a NaN
	pageWords = 48 << 10   // words of a region between pages that cannot be read
)

// words returns n words that hold fenceWord.
func (m *memory) words(n int) []uint32 {
	var region []uint32
	at := 0
	if how := m.place.IntN(3); how > 0 && n+fence <= pageWords {
		region = pages(len(m.slices))
		if how == 1 {
			at = len(region) - n
		}
	}
	if region == nil {
		at = fence + m.place.IntN(17)
		region = make([]uint32, at+n+fence)
	}
	f := fenced{before: region[max(0, at-fence):at], words: region[at : at+n : at+n], after: region[at+n : min(at+n+fence, len(region))]}
	for _, s := range [][]uint32{f.before, f.words, f.after} {
		for i := range s {
			s[i] = fenceWord
		}
	}
	m.slices = append(m.slices, f)
	return f.words
}

func (m *memory) floats(n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(m.words(n)))), n)
}

func (m *memory) ints(n int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(m.words(n)))), n)
}

// hold ends the construction of the problem. After it, the slices of the problem must not change.
func (m *memory) hold() {
	for i := range m.slices {
		m.slices[i].copy = slices.Clone(m.slices[i].words)
	}
	m.held = len(m.slices)
}

// inspect ends an attempt: it checks all fences and inputs, and frees the memory of the attempt.
func (m *memory) inspect(t *testing.T, what string) {
	t.Helper()
	if d := m.damage(); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
	m.slices = m.slices[:m.held]
}

// damage describes what was written wrongly, or returns an empty text.
func (m *memory) damage() string {
	for i, f := range m.slices {
		if k := slices.IndexFunc(f.before, overwritten); k >= 0 {
			return fmt.Sprintf("wrote %#x at %d of slice %d", f.before[k], k-len(f.before), i)
		}
		if k := slices.IndexFunc(f.after, overwritten); k >= 0 {
			return fmt.Sprintf("wrote %#x at %d of slice %d, past the end", f.after[k], len(f.words)+k, i)
		}
		if i < m.held && !slices.Equal(f.words, f.copy) {
			return fmt.Sprintf("changed input %d", i)
		}
	}
	return ""
}

func overwritten(w uint32) bool { return w != fenceWord }

// TestMemory checks that damage is found for every placement of a slice.
func TestMemory(t *testing.T) {
	for seed := range uint64(30) {
		m := &memory{place: newRand(seed)}
		for _, n := range []int{0, 1, 7, 1000} {
			if x := m.floats(n); len(x) != n || cap(x) != n {
				t.Fatalf("length %d and capacity %d, want %d", len(x), cap(x), n)
			}
		}
		m.hold()
		m.floats(3)[1] = 1 // an output
		m.inspect(t, "nothing wrong")
		if len(m.slices) != 4 {
			t.Fatalf("%d slices after an attempt, want 4", len(m.slices))
		}
		for i, f := range m.slices {
			if len(f.before) < fence && len(f.after) < fence {
				t.Fatalf("seed %d: slice %d has no fence", seed, i)
			}
			for side, s := range [][]uint32{f.before, f.words, f.after} {
				if len(s) == 0 {
					continue
				}
				s[len(s)-1]++
				if m.damage() == "" {
					t.Errorf("seed %d: damage to part %d of slice %d is not seen", seed, side, i)
				}
				s[len(s)-1]--
			}
		}
	}
}
