package serve

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
)

// ranking has the order, number and reasons of rows in a table of predictions, like --sort, --top and --why of ehgnn
// predict.
type ranking struct {
	by  string // column to sort by; empty for none
	top int    // number of rows; 0 for all
	why bool
}

// rankingOf parses the parameters sort, top and why of a request, given the format of its answer.
func (q *request) rankingOf(to format) (out ranking, p *Problem) {
	asked := q.r.URL.Query()
	has := func(name string) bool { return asked.Has(name) }
	if !has("sort") && !has("top") && !has("why") {
		return out, nil
	}
	if q.level != "" || to != formatCSV && to != formatParquet {
		return out, problemf(http.StatusUnprocessableEntity, "sort, top and why are for predictions as a table, expected the header Accept: text/csv")
	}
	if has("top") {
		n, err := strconv.Atoi(asked.Get("top"))
		if err != nil || n < 1 {
			return out, wrong("top="+asked.Get("top"), "a number of rows, 1 or more")
		}
		out.top = n
	}
	switch v := asked.Get("why"); v {
	case "true", "1", "":
		out.why = has("why")
	case "false", "0":
	default:
		return out, wrong("why="+v, "true or false")
	}
	if has("sort") || out.top > 0 {
		by, err := q.run.model.RankColumn(asked.Get("sort"))
		if err != nil {
			return out, problemf(http.StatusUnprocessableEntity, "%v", err)
		}
		out.by = by
	}
	return out, nil
}

// rowOf is the item of an answer that a row of a table belongs to.
type rowOf struct{ answer, item int }

// ranked is a table in the requested order with the requested columns; of has the items of its rows.
func (q *request) ranked(ctx context.Context, r ranking, t *report.Table, of []rowOf, answers []answer, inputs []*ehgnn.Input) (*report.Table, *Problem) {
	if r.by != "" && t.Rows() > 0 {
		order := session.Ranked(t, r.by, r.top)
		t, of = t.Pick(order), lists.Take(of, order)
	}
	if !r.why {
		return t, nil
	}
	if q.run.model.Level() != ehgnn.Edges {
		return nil, problemf(http.StatusUnprocessableEntity, "why is for predictions for edges; /explain says what others depend on")
	}
	words, name := make([]string, t.Rows()), "why"
	for a := range answers {
		var rows []int
		var edges []int32
		for row, o := range of {
			if o.answer == a {
				rows, edges = append(rows, row), append(edges, answers[a].computed(o.item))
			}
		}
		if rows == nil {
			continue
		}
		column, err := q.run.model.Why(ctx, inputs[a], edges, t.Pick(rows))
		if err != nil {
			return nil, problemf(http.StatusUnprocessableEntity, "%v", err)
		}
		name = column.Name
		for i, text := range column.Texts() {
			words[rows[i]] = text
		}
	}
	t.Columns = append(t.Columns, report.Strings(name, words))
	return t, nil
}

// computed is the index of an edge in the order of computation.
func (a *answer) computed(edge int) int32 {
	if a.order == nil {
		return int32(edge)
	}
	return int32(slices.Index(a.order, edge))
}
