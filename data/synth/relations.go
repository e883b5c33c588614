package synth

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// Relations are facts about things: an example of edges with very many classes. The relation
// between two things depends on their kinds, which only the other facts reveal.
type Relations struct {
	Things, Relations int
	List              []Fact
	// Known is the accuracy of a prediction that knows the kinds and the frequencies of relations,
	// and takes the most frequent relation between the kinds of the two things.
	Known float64
}

// Fact is a directed edge.
type Fact struct{ Source, Target, Relation int }

// Shape of the facts of NewRelations.
const (
	relationKinds = 12  // of things
	relationSkew  = 0.8 // relation r, from 0, is (1+r)^-0.8 times as frequent as the first
	thingSkew     = 0.5 // likewise for thing k of a kind
)

// NewRelations draws facts: first a relation, more often one with a low number, then a source and a
// target of the kinds that belong to this relation. There are twelve kinds, and the kind of each
// thing is drawn. Some things occur more often than others.
//
// It returns an error for fewer things than kinds, no relation, or a negative number of facts.
func NewRelations(things, relations, facts int, seed uint64) (*Relations, error) {
	if things < relationKinds || relations < 1 || things > math.MaxInt32 || relations > math.MaxInt32 || facts < 0 {
		return nil, fmt.Errorf("synth: %d facts of %d relations between %d things, expected a relation and %d things", facts, relations, things, relationKinds)
	}
	r := rng.Stream(seed, "relations", things, relations, facts)
	var kinds [relationKinds][]int
	for k, v := range r.Perm(things) {
		kinds[k%relationKinds] = append(kinds[k%relationKinds], v)
	}
	var often [relationKinds]skewed
	for k, of := range kinds {
		often[k] = newSkewed(len(of), thingSkew)
	}
	frequent := newSkewed(relations, relationSkew)
	wants, best := make([][2]int, relations), map[[2]int]int{}
	for k := range wants {
		wants[k] = [2]int{r.IntN(relationKinds), r.IntN(relationKinds)}
		if _, ok := best[wants[k]]; !ok {
			best[wants[k]] = k
		}
	}
	out := &Relations{Things: things, Relations: relations}
	for range facts {
		k := frequent.draw(r.Float64())
		ends := wants[k]
		out.List = append(out.List, Fact{kinds[ends[0]][often[ends[0]].draw(r.Float64())], kinds[ends[1]][often[ends[1]].draw(r.Float64())], k})
		if best[ends] == k {
			out.Known += 1 / float64(facts)
		}
	}
	return out, nil
}

// skewed has the sums of the weights (1+k)^-skew up to each k.
type skewed []float64

func newSkewed(n int, skew float64) skewed {
	s, sum := make(skewed, n), 0.0
	for k := range s {
		sum += math.Pow(float64(1+k), -skew)
		s[k] = sum
	}
	return s
}

// draw returns the k whose weight contains share, from 0 to below 1, of the sum.
func (s skewed) draw(share float64) int {
	k, _ := slices.BinarySearch(s, share*s[len(s)-1])
	return min(k, len(s)-1)
}

// WriteEdges writes the facts as CSV: source and target (t and the number of the thing) and
// relation (r and its number).
func (r *Relations) WriteEdges(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"source", "target", "relation"}}
	for _, f := range r.List {
		rows = append(rows, []string{"t" + strconv.Itoa(f.Source), "t" + strconv.Itoa(f.Target), "r" + strconv.Itoa(f.Relation)})
	}
	return c.WriteAll(rows)
}
