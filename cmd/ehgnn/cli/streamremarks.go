package cli

import (
	"slices"

	"github.com/ehgnn/ehgnn"
)

// streamRemarks collects the remarks on the documents of a stream. Each remark is made once:
// remarks on unseen categories at the end, others at the document.
type streamRemarks struct {
	made   []string
	unseen []ehgnn.Unseen // by column, over all documents
}

// mostRemarks limits the number of remarks, because documents may contain any names.
const mostRemarks = 100

// add adds the remarks of a prediction.
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

// end writes the remark on the categories.
func (s *streamRemarks) end(a *app) {
	for _, u := range s.unseen {
		a.log.Warn(u.String())
	}
}
