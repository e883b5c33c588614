package tables_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Test edges are nearly copies if a training edge between the same nodes differs in at most one column. The time counts as a column.
func TestNearCopies(t *testing.T) {
	for name, c := range map[string]struct {
		header, train, test string
		want                int
	}{
		"a number differs":          {"source,target,a,b,c,time", "x,y,1,p,q,5", "x,y,2,p,q,5", 1},
		"a category differs":        {"source,target,a,b,c,time", "x,y,1,p,q,5", "x,y,1,r,q,5", 1},
		"the time differs":          {"source,target,a,b,c,time", "x,y,1,p,q,5", "x,y,1,p,q,6", 1},
		"the other direction":       {"source,target,a,b,c,time", "x,y,1,p,q,5", "y,x,2,p,q,5", 1},
		"two columns differ":        {"source,target,a,b,c,time", "x,y,1,p,q,5", "x,y,2,p,q,6", 0},
		"other nodes":               {"source,target,a,b,c,time", "x,y,1,p,q,5", "x,z,2,p,q,5", 0},
		"too few columns to say so": {"source,target,a,b,c", "x,y,1,p,q", "x,y,2,p,q", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, tables.Options{Form: data.Directed}, "edges.csv", c.header+"\n"+c.train+"\n"+c.test+"\n")
			if got := s.NearCopies(&data.Split{Train: []int{0}, Test: []int{1}}); got != c.want {
				t.Errorf("%d near copies, want %d", got, c.want)
			}
		})
	}
}
