package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
)

// ItemsQuery asks for stored predictions.
type ItemsQuery struct {
	ModelName
	Part   string `query:"part" doc:"The part that items are in (default: all that are stored)."`
	Sort   string `query:"sort" doc:"The column to sort by, after a - from the largest on; row for the order of the file (default: worst errors first)."`
	Filter string `query:"filter" doc:"Conditions that must all hold, by spaces: COLUMN=VALUE, !=, <, <=, >, >=, ~ for 'holds the text', and words." example:"label=1 error>0.5"`
	After  string `query:"after" doc:"Where to go on: next of the page before."`
}

// ItemsPage is a page of stored predictions.
type ItemsPage struct {
	Columns []string         `json:"columns" doc:"The names of the columns, in their order."`
	Items   []map[string]any `json:"items" doc:"A value for each column, and row, the number in the file."`
	Total   int              `json:"total" doc:"Items on all pages."`
	Next    string           `json:"next,omitempty" doc:"The after of the next page; none on the last."`
}

// stored answers GET /v1/models/{m}/items.
func (s *Server) stored(_ context.Context, q *ItemsQuery) (*reply[ItemsPage], error) {
	r, p := s.named(q.Model)
	if p != nil {
		return nil, p
	}
	set, err := r.Stored()
	if errors.Is(err, items.ErrNone) {
		return nil, problemf(http.StatusNotFound, "%v", items.ErrNone)
	}
	if err != nil {
		s.options.Log.Error("stored predictions", "run", r.name, "error", err)
		return nil, problemf(http.StatusNotFound, "the stored predictions of the run cannot be read; the log says why")
	}
	page, err := set.Select(items.Query{Part: q.Part, Sort: q.Sort, Filter: q.Filter, After: q.After})
	var wrongQuery *items.QueryError
	if errors.As(err, &wrongQuery) {
		p := problemf(http.StatusUnprocessableEntity, "%s: %s", wrongQuery.Field, wrongQuery.Text)
		return nil, p
	}
	if err != nil {
		return nil, problemf(http.StatusUnprocessableEntity, "%v", err)
	}
	out := ItemsPage{Columns: set.Columns(), Items: make([]map[string]any, len(page.Rows)), Total: page.Total, Next: page.Next}
	for i, row := range page.Rows {
		out.Items[i] = row.Values()
	}
	return &reply[ItemsPage]{out}, nil
}
