package links

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Plan is what Check verifies before an evaluation: the split, the graph of each part, and the
// negatives.
type Plan struct {
	Data  *Data
	Split *Split
	// Messages are the pairs in the graph when a part is scored, for each part.
	Messages [Parts][][2]int32
	// Negatives are the shared negatives of validation and test.
	Negatives [Parts][][2]int32
}

// NewPlan returns the plan of a split. It has the pairs in the graph of each part, and draws as
// many uniform negatives as there are positives.
func NewPlan(d *Data, known *Known, s *Split, seed uint64, testSeesValid bool) *Plan {
	p := &Plan{Data: d, Split: s}
	var taken pairSet
	for part := Train; part < Parts; part++ {
		if part > Train && s.SameGraph(part-1, part, testSeesValid) {
			p.Messages[part] = p.Messages[part-1]
		} else {
			p.Messages[part] = lists.Take(d.Pairs, s.Visible(part, testSeesValid))
		}
		if part != Train {
			p.Negatives[part] = uniform(d, known, len(s.Of(part)), Mix(seed)+uint64(part), &taken)
		}
	}
	return p
}

// Counts are the numbers of pairs that Check returns.
type Counts struct {
	Nodes     int        `json:"nodes"`
	Rows      int        `json:"rows"`
	Pairs     int        `json:"pairs"`
	Loops     int        `json:"loops"`
	Parts     [Parts]int `json:"parts"`     // pairs to score
	Shown     [Parts]int `json:"shown"`     // held-out pairs that are in the graph as messages
	Messages  [Parts]int `json:"messages"`  // pairs in the graph
	Negatives [Parts]int `json:"negatives"` // uniform negatives
	Isolated  int        `json:"nodes_without_training_pair"`
}

// Check verifies that no pair is in two parts (nor, unless the split is by time, is its reverse in
// another part); that no pair to be scored, nor its reverse, is a message; and that each negative
// is an unknown pair, no loop, and in one part only. The error names the first pair that breaks a
// rule.
func (p *Plan) Check() (Counts, error) {
	d, s := p.Data, p.Split
	c := Counts{Nodes: d.Nodes(), Rows: len(d.Row), Pairs: len(d.Pairs), Loops: d.Loops}
	units := p.units()
	of := slices.Repeat([]int8{-1}, units.N) // the part in which a unit is scored
	for part := Train; part < Parts; part++ {
		pairs := s.Of(part)
		c.Parts[part] = len(pairs)
		for _, i := range pairs {
			if other := of[units.Of(i)]; other >= 0 && other != part {
				return c, fmt.Errorf("the pair %s is in part %s and, or its reverse, in part %s", d.Name(i), PartNames[part], PartNames[other])
			}
			of[units.Of(i)] = part
		}
		for i := range s.Part {
			if s.Part[i] == part && s.Shown != nil && s.Shown[i] {
				c.Shown[part]++
			}
		}
	}
	touched := make([]bool, d.Nodes())
	for part := Train; part < Parts; part++ {
		c.Messages[part] = len(p.Messages[part])
		next := int32(0)
		for _, m := range p.Messages[part] {
			for int(next) < len(d.Pairs) && comparePairs(d.Pairs[next], m) < 0 { // messages are in ascending order, like pairs
				next++
			}
			at, ok := next, int(next) < len(d.Pairs) && d.Pairs[next] == m
			if !ok {
				at, ok = p.find(m)
			}
			if ok && of[units.Of(at)] >= max(part, Valid) {
				return c, fmt.Errorf("the pair (%q, %q) of part %s, or its reverse, is in the graph when part %s is scored", d.IDs[m[0]], d.IDs[m[1]], PartNames[of[units.Of(at)]], PartNames[part])
			}
			if part == Train {
				touched[m[0]], touched[m[1]] = true, true
			}
		}
	}
	for _, is := range touched {
		if !is {
			c.Isolated++
		}
	}
	return c, p.checkNegatives(&c)
}

// checkNegatives checks the shared negatives of validation and test.
func (p *Plan) checkNegatives(c *Counts) error {
	d := p.Data
	var in pairSet
	for part := Valid; part < Parts; part++ {
		c.Negatives[part] = len(p.Negatives[part])
		for _, n := range p.Negatives[part] {
			wrong := ""
			if _, known := d.Find(n[0], n[1]); !d.Eligible(n[0], n[1]) {
				wrong = "cannot be a pair"
			} else if known {
				wrong = "is a known pair"
			} else if key := unordered(n); !in.add(key) {
				first := Valid
				if !slices.ContainsFunc(p.Negatives[Valid], func(x [2]int32) bool { return unordered(x) == key }) {
					first = Test
				}
				wrong = fmt.Sprintf("is a negative of part %s already", PartNames[first])
			}
			if wrong != "" {
				return fmt.Errorf("the negative (%q, %q) of part %s %s", d.IDs[n[0]], d.IDs[n[1]], PartNames[part], wrong)
			}
		}
	}
	return nil
}

// units returns the units that parts may not share: unordered pairs, or ordered pairs in a split by
// time.
func (p *Plan) units() Units {
	if p.Split.RowPart == nil {
		return p.Data.Units()
	}
	return Units{N: len(p.Data.Pairs)}
}

// find returns the pair of a message. It also looks for the reverse, unless the split is by time.
func (p *Plan) find(m [2]int32) (int32, bool) {
	at, ok := p.Data.Find(m[0], m[1])
	if !ok && p.Split.RowPart == nil {
		return p.Data.Find(m[1], m[0])
	}
	return at, ok
}

func unordered(p [2]int32) [2]int32 {
	s := p[:]
	return [2]int32{slices.Min(s), slices.Max(s)}
}
