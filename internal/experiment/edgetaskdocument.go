package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// edgeValue is the experiment for programs.
type edgeValue struct {
	Preset    string           `json:"preset"`
	Trainings []edgeResult     `json:"trainings"`
	Published []publishedEdges `json:"published"`
	Notes     []string         `json:"notes,omitempty"`
}

// edgeRemarks appear below every table.
var edgeRemarks = []string{
	"inductive: training sees the training edges alone, validation these and its own, the test all edges, with their features.\ntransductive: training, too, sees that all edges exist, and their features.",
	"Labels that a row reads are those of training edges, in both protocols and also at the test, and never that of the edge itself;\nrows with no labels read none. Epoch, temperature and threshold are chosen on the validation part.",
	"Numbers are of the test part: the mean over seeds and the deviation between them; baselines draw nothing.\nOf numbers, regressions are linear, and training labels are the effects of both ends.",
}

// document makes the table, the published numbers and the files.
func (r edgeRequest) document(results []edgeResult) *report.Document {
	v := edgeValue{Preset: r.preset.name, Trainings: results, Notes: r.notes}
	d := &report.Document{Title: fmt.Sprintf("Labels of edges, %s", seedsText(r.seeds)), Parts: []report.Part{r.table(results)},
		Remarks: slices.Concat(edgeRemarks, r.notes), Sheets: []report.Sheet{edgeSheet(results)}}
	published := listing(6, "data", "published", "score", "value", "our split", "source")
	for _, s := range r.sets {
		for _, p := range s.published {
			v.Published = append(v.Published, p)
			published.Rows = append(published.Rows, []string{p.Set, p.Model, p.Score, p.Value, p.Split, p.Source})
		}
		if s.apart {
			d.Remarks = append(d.Remarks, fmt.Sprintf("%s: no node has edges of two parts, so that both protocols see the same.", s.name))
		}
	}
	if len(published.Rows) > 0 {
		d.Parts = append(d.Parts, published)
	}
	d.Value = v
	return d
}

func seedsText(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprintf("seed %d", seeds[0])
	}
	return fmt.Sprintf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
}

// table has a line for each row under each protocol.
func (r edgeRequest) table(results []edgeResult) *report.Listing {
	t := listing(2, "protocol", "model")
	for _, s := range r.sets {
		for _, score := range s.scores {
			t.Columns = append(t.Columns, report.ListingColumn{Name: s.name + " " + score.title})
		}
	}
	for _, protocol := range r.protocols {
		for _, row := range r.rows {
			line := []string{protocol, row.title}
			for _, s := range r.sets {
				of := lists.Filter(results, func(e edgeResult) bool {
					return e.Set == s.name && e.Row == row.name && e.Protocol == protocol
				})
				for _, score := range s.scores {
					line = append(line, meanScore(of, score.name))
				}
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t
}

// meanScore is the mean of a test score with its deviation, or a dash.
func meanScore(of []edgeResult, score string) string {
	var values []float64
	for _, e := range of {
		if v, ok := e.Test[score]; ok {
			values = append(values, v)
		}
	}
	if values == nil {
		return "–"
	}
	return meanText("%.4f", values)
}

// scoreCells returns name, test value and validation value (or empty) of each score of the test part.
func scoreCells(valid, test map[string]float64) (out [][]string) {
	for _, score := range slices.Sorted(maps.Keys(test)) {
		cell := ""
		if v, ok := valid[score]; ok {
			cell = fmt.Sprint(v)
		}
		out = append(out, []string{score, fmt.Sprint(test[score]), cell})
	}
	return out
}

// edgeSheet has a row for each score of each training.
func edgeSheet(results []edgeResult) report.Sheet {
	s := report.Sheet{Name: "table", Header: strings.Split("dataset,protocol,model,seed,score,test,valid,best_epoch,epochs,seconds,parameters", ",")}
	for _, e := range results {
		for _, score := range scoreCells(e.Valid, e.Test) {
			s.Rows = append(s.Rows, slices.Concat([]string{e.Set, e.Protocol, e.Row, fmt.Sprint(e.Seed)}, score,
				[]string{fmt.Sprint(e.BestEpoch), fmt.Sprint(e.Epochs), fmt.Sprintf("%.1f", e.Seconds), fmt.Sprint(e.Params)}))
		}
	}
	return s
}
