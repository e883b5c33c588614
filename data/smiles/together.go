package smiles

import (
	"fmt"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// keyOf returns the key of equal molecules: their canonical SMILES. It is empty for a molecule that
// is too large; its text is then used.
func keyOf(m chem.Molecule) string {
	if m.NumAtoms() > chem.MaxScored {
		return ""
	}
	canonical, err := m.SMILES()
	if err != nil {
		return ""
	}
	return canonical
}

// numbers numbers texts from 0, in the order in which they occur first.
type numbers struct {
	of     map[string]int32
	budget *data.Budget
}

// keyBytes is the memory of a text in a map besides its own bytes.
const keyBytes = 64

func newNumbers(b *data.Budget) *numbers { return &numbers{map[string]int32{}, b} }

func (n *numbers) add(text string) (int32, error) {
	k, ok := n.of[text]
	if !ok {
		if err := n.budget.Charge(int64(len(text)+keyBytes), "molecules"); err != nil {
			return 0, err
		}
		k = int32(len(n.of))
		n.of[text] = k
	}
	return k, nil
}

// Repeats reports whether a molecule occurs in more than one row.
func (s *Set) Repeats() bool { rows, _ := s.repeats(); return rows > 0 }

// repeats counts the molecules that occur in more than one row, and their rows.
func (s *Set) repeats() (rows, molecules int) {
	count := map[int32]int{}
	for _, k := range s.Same {
		count[k]++
	}
	for _, n := range count {
		if n > 1 {
			rows, molecules = rows+n, molecules+1
		}
	}
	return rows, molecules
}

// Units numbers the units that a split keeps together: rows of the same molecule and, if byGroup is
// set, rows of the same group.
func (s *Set) Units(byGroup bool) []int32 {
	sets := unionfind.New(len(s.Graphs))
	join := func(keys []int32) {
		first := map[int32]int32{}
		for i, k := range keys {
			if k < 0 {
				continue
			}
			if f, ok := first[k]; ok {
				sets.Union(f, int32(i))
			} else {
				first[k] = int32(i)
			}
		}
	}
	join(s.Same)
	if byGroup {
		join(s.Group)
	}
	of, _ := sets.Number()
	return of
}

// noteRepeats notes which rows are kept together, or which molecules the column of parts divides.
func (s *Set) noteRepeats() {
	if s.Part != nil {
		if n := s.torn(); n > 0 {
			s.note("%s more than one part of column %q (equal canonical SMILES)", counted(n, "molecule is in", "molecules are in"), s.PartColumn)
		}
		return
	}
	if rows, molecules := s.repeats(); rows > 0 {
		s.note("%d rows of %s (equal canonical SMILES) are kept in one part", rows, counted(molecules, "molecule", "molecules"))
	}
}

// torn counts the molecules with rows in more than one part of the column of parts.
func (s *Set) torn() (n int) {
	const several = 3
	in := map[int32]int8{}
	for i, k := range s.Same {
		p := s.Part[i]
		was, ok := in[k]
		switch {
		case p < 0 || ok && (was == p || was == several):
		case ok:
			in[k] = several
			n++
		default:
			in[k] = p
		}
	}
	return n
}

// counted returns a number with the word for one or for many.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
