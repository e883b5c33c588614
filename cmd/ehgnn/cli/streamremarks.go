package cli

import (
	"slices"

	"github.com/ehgnn/ehgnn"
)

// streamRemarks are the remarks on the documents of a stream. Each is made once: on categories that
// training has not seen at the end, others at the document.
type streamRemarks struct {
	made   []string
	unseen []ehgnn.Unseen // by column, over all documents
}

// mostRemarks bounds the remarks, as names in documents can be of any kind.
const mostRemarks = 100

// add takes what a prediction remarks.
func (s *streamRemarks) add(a *app, p ehgnn.Prediction) {
	for _, r := range p.Remarks {
		if len(s.made) < mostRemarks && !slices.Contains(s.made, r) {
			s.made = append(s.made, r)
			a.log.Warn(r)
		}
	}
	for _, u := range p.Unseen {
		k := slices.IndexFunc(s.unseen, func(x ehgnn.Unseen) bool { return x.Of == u.Of && x.Column == u.Column })
		if k < 0 {
			s.unseen = append(s.unseen, u)
		} else {
			s.unseen[k].Rows += u.Rows
		}
	}
}

// end remarks on the categories.
func (s *streamRemarks) end(a *app) {
	for _, u := range s.unseen {
		a.log.Warn(u.String())
	}
}
