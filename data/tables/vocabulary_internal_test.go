package tables

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// Texts of all lengths have the numbers that a map would give, also texts that differ in a zero byte or in the last letter.
func TestVocabulary(t *testing.T) {
	v := newVocabulary(data.NewBudget(0))
	code := map[string]int32{}
	texts := []string{"", "\x00", "a", "a\x00", "a\x00\x00", "é"}
	for n := range 40 {
		long := strings.Repeat("x", n)
		texts = append(texts, long, long+"\x00", long+"y")
	}
	for i := range 3000 {
		texts = append(texts, fmt.Sprint("n", i*i), fmt.Sprint("a long name of a node ", i))
	}
	for range 2 {
		for _, text := range texts {
			want, known := code[text]
			if got, ok := v.find(text); ok != known || known && got != want {
				t.Fatalf("find %q is %d, %v, want %d, %v", text, got, ok, want, known)
			}
			if !known {
				want = int32(len(code))
				code[text] = want
			}
			if got, err := v.add(text); err != nil || got != want {
				t.Fatalf("add %q is %d, %v, want %d", text, got, err, want)
			}
			if v.texts[want] != text {
				t.Fatalf("text %d is %q, want %q", want, v.texts[want], text)
			}
		}
	}
}
