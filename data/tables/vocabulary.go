package tables

import (
	"hash/maphash"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// vocabulary numbers texts in the order of their first occurrence. It is an open hash table that contains the letters
// of short texts, so that a lookup needs one memory access. A map would also read the text, and with many texts both
// accesses miss the cache.
type vocabulary struct {
	slots  []slot // the size is a power of two
	texts  []string
	seed   maphash.Seed
	budget *data.Budget
}

// slot is a text in the table: the letters of a short text with their number, or the hash of a long one.
type slot struct {
	key [2]uint64
	at  int32 // its number + 1, or 0 for no text
}

// shortText is the number of letters up to which a text is short.
const shortText = 15

func newVocabulary(b *data.Budget) *vocabulary {
	return &vocabulary{slots: make([]slot, 16), seed: maphash.MakeSeed(), budget: b}
}

// find is the number of a text; ok is false if it is not in the vocabulary.
func (v *vocabulary) find(text string) (code int32, ok bool) {
	s := v.slot(v.key(text), text)
	return s.at - 1, s.at > 0
}

// add is the number of a text; a new text is charged.
func (v *vocabulary) add(text string) (int32, error) {
	key := v.key(text)
	s := v.slot(key, text)
	if s.at > 0 {
		return s.at - 1, nil
	}
	if err := v.budget.Charge(int64(len(text))+textBytes, "different texts"); err != nil {
		return 0, err
	}
	v.texts = append(v.texts, strings.Clone(text)) // the next row overwrites this memory
	*s = slot{key, int32(len(v.texts))}
	if 4*len(v.texts) > 3*len(v.slots) {
		v.grow()
	}
	return int32(len(v.texts) - 1), nil
}

// key has the letters and the length of a short text, or the hash of a long one.
func (v *vocabulary) key(text string) (key [2]uint64) {
	if len(text) > shortText {
		return [2]uint64{maphash.String(v.seed, text), 1 << 63}
	}
	for i := range len(text) {
		key[i/8] |= uint64(text[i]) << (8 * (i % 8))
	}
	key[1] |= uint64(len(text)) << 56
	return key
}

// slot is the place of a text, or the place where it belongs.
func (v *vocabulary) slot(key [2]uint64, text string) *slot {
	last := uint64(len(v.slots) - 1)
	for at := maphash.Comparable(v.seed, key); ; at++ {
		s := &v.slots[at&last]
		if s.at == 0 || s.key == key && (len(text) <= shortText || v.texts[s.at-1] == text) {
			return s
		}
	}
}

func (v *vocabulary) grow() {
	old := v.slots
	v.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.at > 0 {
			*v.slot(s.key, v.texts[s.at-1]) = s
		}
	}
}
