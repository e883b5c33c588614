package page

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// recommendForm is the content of the form of recommendations.
type recommendForm struct {
	For   string
	Tops  []choice
	Known bool
}

// showRecommend lists the most likely partners of a node by a run of link prediction.
func (s *site) showRecommend(r *http.Request) (*view, error) {
	l, ok := s.listed[r.PathValue("run")]
	if !ok || l.Partners == nil {
		return nil, &httpError{http.StatusNotFound, fmt.Sprintf("There is no run of link prediction %q here.", r.PathValue("run"))}
	}
	f := r.URL.Query()
	form := &recommendForm{For: f.Get("for"), Known: f.Get("known") != ""}
	n, err := strconv.Atoi(f.Get("top"))
	if err != nil || n < 1 || n > 50 {
		n = 10
	}
	form.Tops = choices(strconv.Itoa(n), "10", "25", "50")
	v := &view{Title: "Recommend by " + l.Name, Run: l.Name, Linked: true, Tab: "recommend", Form: "recommend", Data: form,
		Lead: []string{"The likeliest partners of a node. Scores order the partners of one node; they are no probabilities."}}
	if form.For == "" {
		return v, nil
	}
	list, err := l.Partners(r.Context(), form.For, n, form.Known)
	if err != nil {
		v.Problem = sentence(err)
		return v, nil
	}
	return v.setDocument(&report.Document{Parts: []report.Part{recommended(form, list)}})
}

// recommended has a row for each partner.
func recommended(form *recommendForm, list []run.Recommendation) *report.DataTable {
	t := &report.DataTable{Label: "Partners of " + form.For, Stack: true, Empty: "The node has no partner that it could get.",
		Columns: []report.DataColumn{{Name: "rank"}, {Name: "partner", Left: true}, {Name: "score"}, {Name: "why", Left: true}}}
	t.Note = "Without the partners that the node has."
	if form.Known {
		t.Note = "Partners that the node has are grey."
	}
	scores := report.Aligned(lists.Map(list, func(x run.Recommendation) float64 { return x.Score }))
	for k, x := range list {
		why := x.Text
		switch {
		case x.Known:
			why = "known"
		case x.Popular:
			why = "popular: the node has no pair"
		}
		row := report.DataRow{Faint: x.Known, Cells: []report.DataCell{report.NumberCell(report.Count(x.Rank), float64(x.Rank)), report.TextCell(short(x.Target, 60)), report.NumberCell(scores[k], x.Score), report.TextCell(why)}}
		row.Cells[1].Wrap, row.Cells[3].Wrap = true, true
		t.Rows = append(t.Rows, row)
	}
	return t
}
