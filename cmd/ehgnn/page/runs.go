package page

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/task"
)

// showRuns lists the runs that hold a text.
func (s *site) showRuns(r *http.Request) (*view, error) {
	find := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("find")))
	t := &report.DataTable{Label: "Runs", Stack: true, Empty: "No run holds this text; an empty one finds all.", Columns: []report.DataColumn{{Name: "run", Left: true, Sort: true}, {Name: "data", Left: true, Sort: true}, {Name: "task", Left: true, Sort: true, Class: "p1"},
		{Name: "model", Left: true, Sort: true}, {Name: "test score", Sort: true}, {Name: "time", Unit: "s", Sort: true, Class: "p2"}, {Name: "parameters", Sort: true, Class: "p1"}, {Name: "epochs", Sort: true, Class: "p1"}}}
	for _, run := range s.Runs {
		cells := make([]report.DataCell, len(t.Columns))
		for i := range cells {
			cells[i] = report.TextCell(report.None)
		}
		cells[0] = report.DataCell{Text: run.Name, Link: "./runs/" + url.PathEscape(run.Name), Value: math.NaN(), Wrap: true}
		text := run.Name
		if e, err := session.ReadEnvironment(run.Dir); err != nil {
			cells[1].Text = "not finished"
		} else {
			res := e.Result
			text += " " + res.Dataset + " " + res.Task + " " + res.Model
			cells[1].Text, cells[2].Text, cells[3].Text = res.Dataset, strings.ReplaceAll(res.Task, "-", " "), res.Model
			if best, ok := review.Headline(res); ok {
				cells[4] = report.NumberCell(review.Number(best.Value), best.Value)
				cells[4].Note = task.ScoreTitle(best.Name)
			}
			cells[5] = report.NumberCell(report.PlainSeconds(res.Seconds), res.Seconds)
			cells[6] = report.NumberCell(report.Count(res.Params), float64(res.Params))
			cells[7] = report.NumberCell(report.Count(res.Epochs), float64(res.Epochs))
		}
		if strings.Contains(strings.ToLower(text), find) {
			t.Rows = append(t.Rows, report.DataRow{Cells: cells})
		}
	}
	t.Note = fmt.Sprintf("%d of %s. The score is that of the test set; the report of a run has all of them, with intervals.", len(t.Rows), report.Counted(len(s.Runs), "run"))
	v := &view{Title: "Runs", Tab: "runs", Form: "runs", Data: r.URL.Query().Get("find")}
	return v.take(&report.Document{Parts: []report.Part{t}})
}

// showReport is the report of the run as it was written.
func (s *site) showReport(o *opened, _ *http.Request) (*view, error) {
	v := &view{Title: o.Name, Form: "report", Data: url.PathEscape(o.Name)}
	text, err := os.ReadFile(filepath.Join(o.Dir, review.PageFile))
	if err != nil {
		v.Form = ""
		v.Problem = "The run has no report."
		v.Help = []string{"ehgnn report RUN writes it, from the data of the training; RUN is the folder of the run."}
		return v, nil
	}
	v.Bare = true
	v.Body, err = report.BodyOf(text, "./"+url.PathEscape(o.Name))
	return v, err
}

// reportFile is report.html.
func (s *site) reportFile(o *opened, _ *http.Request, w io.Writer) (name, kind string, err error) {
	text, err := os.ReadFile(filepath.Join(o.Dir, review.PageFile))
	if err != nil {
		return "", "", &httpError{http.StatusNotFound, "The run has no report."}
	}
	_, err = bytes.NewReader(text).WriteTo(w)
	return review.PageFile, "text/html; charset=utf-8", err
}
