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
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/task"
)

// runRow is a run in the list, with the text that a search examines and its time.
type runRow struct {
	cells    []report.DataCell
	text     string
	finished time.Time
}

// showRuns lists the runs that contain a text, latest first.
func (s *site) showRuns(r *http.Request) (*view, error) {
	find := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("find")))
	t := &report.DataTable{Label: "Runs", Stack: true, Empty: "No run holds this text; an empty one finds all.", Columns: []report.DataColumn{{Name: "run", Left: true, Sort: true}, {Name: "data", Left: true, Sort: true}, {Name: "task", Left: true, Sort: true, Class: "p2"},
		{Name: "model", Left: true, Sort: true}, {Name: "test score", Sort: true}, {Name: "time", Unit: "s", Sort: true}, {Name: "finished", Sort: true, Sorted: "descending"}}}
	rows := make([]runRow, 0, len(s.Runs)+len(s.Listed))
	for _, run := range s.Runs {
		rows = append(rows, rowOf(run))
	}
	for _, l := range s.Listed {
		row := newRow(l.Name, l.Finished)
		row.cells[0].NoChoice = true
		row.text += " " + l.Data + " " + l.Task + " " + l.Model
		row.cells[1].Text, row.cells[2].Text, row.cells[3].Text = l.Data, strings.ReplaceAll(l.Task, "-", " "), l.Model
		row.cells[4] = report.NumberCell(l.Score, l.Value)
		row.cells[4].Interval, row.cells[4].Note = l.Interval, l.ScoreName
		row.cells[5] = report.NumberCell(report.PlainSeconds(l.Seconds), l.Seconds)
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b runRow) int { return b.finished.Compare(a.finished) })
	for _, row := range rows {
		if strings.Contains(strings.ToLower(row.text), find) {
			t.Rows = append(t.Rows, report.DataRow{Cells: row.cells})
		}
	}
	t.Note = fmt.Sprintf("%d of %s. The score is that of the test set; the report of a run has all of them, with intervals.", len(t.Rows), report.Counted(len(rows), "run"))
	v := &view{Title: "Runs", Tab: "runs", Form: "runs", Data: r.URL.Query().Get("find")}
	return v.setDocument(&report.Document{Parts: []report.Part{t}})
}

// newRow is a row without numbers. The time is in the server's time zone.
func newRow(name string, finished time.Time) runRow {
	row := runRow{cells: make([]report.DataCell, 7), text: name, finished: finished}
	for i := range row.cells {
		row.cells[i] = report.TextCell(report.None)
	}
	row.cells[0] = report.DataCell{Text: name, Link: "./runs/" + url.PathEscape(name), Value: math.NaN(), Wrap: true}
	if !finished.IsZero() {
		row.cells[6] = report.NumberCell(clock(finished, time.Now()), float64(finished.Unix()))
	}
	return row
}

// clock formats a time for people: the clock time today, otherwise the day, with the year if it is another year.
func clock(t, now time.Time) string {
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan, 15:04")
	}
	return t.Format("2 Jan 2006, 15:04")
}

// rowOf is the row of a run.
func rowOf(run Run) runRow {
	var finished time.Time
	if info, err := os.Stat(filepath.Join(run.Dir, session.EnvironmentFile)); err == nil {
		finished = info.ModTime()
	}
	row := newRow(run.Name, finished)
	row.cells[0].Choose = run.Name
	e, err := session.ReadEnvironment(run.Dir)
	if err != nil {
		row.cells[1].Text = "not finished"
		return row
	}
	res := e.Result
	row.text += " " + res.Dataset + " " + res.Task + " " + res.Model + " " + review.ModelName(res)
	row.cells[1].Text, row.cells[2].Text, row.cells[3].Text = res.Dataset, strings.ReplaceAll(res.Task, "-", " "), review.ModelName(res)
	if best, ok := review.Headline(res); ok {
		row.cells[4] = report.NumberCell(review.Number(best.Value), best.Value)
		row.cells[4].Note = task.ScoreTitle(best.Name)
	}
	row.cells[5] = report.NumberCell(report.PlainSeconds(res.Seconds), res.Seconds)
	return row
}

// showReport shows the stored report of the run.
func (s *site) showReport(o *opened, _ *http.Request) (*view, error) {
	return reportView(o.Name, o.Dir)
}

// reportView is the report in the folder of a run.
func reportView(name, dir string) (*view, error) {
	v := &view{Title: name, Form: "report", Data: url.PathEscape(name)}
	text, err := os.ReadFile(filepath.Join(dir, review.PageFile))
	if err != nil {
		v.Form = ""
		v.Problem = "The run has no report."
		v.Help = []string{"ehgnn report RUN writes it, from the data of the training; RUN is the folder of the run."}
		return v, nil
	}
	v.Bare = true
	v.Body, err = report.BodyOf(text, "./"+url.PathEscape(name))
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
