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

// ranking says which rows of a table of predictions come first and whether they have reasons, as --sort, --top and --why of
// ehgnn predict do.
type ranking struct {
	by  string // the column that rows are sorted by; empty for none
	top int    // how many of them; 0 for all
	why bool
}

// rankingOf reads the parameters sort, top and why of a request whose answer has a format.
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

// rowOf is what a row of a table is of: an item of an answer.
type rowOf struct{ answer, item int }

// ranked is a table in the order and with the column that were asked for; of says what its rows are of.
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

// computed is the place of an edge in the order in which edges are computed.
func (a *answer) computed(edge int) int32 {
	if a.order == nil {
		return int32(edge)
	}
	return int32(slices.Index(a.order, edge))
}
