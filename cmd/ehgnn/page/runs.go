package page

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/task"
)

// showRuns lists the runs.
func (s *site) showRuns(*http.Request) (*view, error) {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "run", Left: true}, {Name: "task", Left: true}, {Name: "model", Left: true}, {Name: "data", Left: true},
		{Name: "test score", Left: true}, {Name: "value"}, {Name: "parameters"}, {Name: "epochs"}}}
	for _, r := range s.Runs {
		row := []string{r.Name}
		e, err := session.ReadEnvironment(r.Dir)
		if err != nil {
			row = append(row, "not finished", report.None, report.None, report.None, report.None, report.None, report.None)
		} else {
			score, value := report.None, report.None
			if best, ok := review.Headline(e.Result.Test); ok {
				score, value = task.ScoreTitle(best.Name), review.Number(best.Value)
			}
			row = append(row, e.Result.Task, e.Result.Model, e.Result.Dataset, score, value, fmt.Sprint(e.Result.Params), fmt.Sprint(e.Result.Epochs))
		}
		l.Rows = append(l.Rows, row)
		l.Links = append(l.Links, "./runs/"+url.PathEscape(r.Name))
	}
	v := &view{Title: "Runs", Lead: []string{"The runs that this server answers for. The score is that of the test part; the report of a run has all of them, with intervals."}}
	return v.take(&report.Document{Parts: []report.Part{l}})
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
