package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// mostRecord is the largest record, in bytes, that is drawn; mostRecordEdges is the largest number
// of its edges.
const (
	mostRecord      = 16 << 20
	mostRecordEdges = 50_000
)

// explained draws a record from an answer of the API, for the form to try graphs, as a part of a page.
func (s *site) explained(w http.ResponseWriter, r *http.Request) {
	run, err := s.runNamed(r.PathValue("run"))
	if err == nil {
		err = s.drawRecord(w, run, http.MaxBytesReader(w, r.Body, mostRecord))
	}
	if err != nil {
		err = inTime(r, err)
		http.Error(w, err.Error(), statusOf(err))
	}
}

func (s *site) drawRecord(w http.ResponseWriter, run *opened, from io.Reader) error {
	var body struct {
		explain.GraphRecord
		SMILES string `json:"smiles"` // as pasted; empty for other graphs
	}
	if err := json.NewDecoder(from).Decode(&body); err != nil {
		return &httpError{http.StatusBadRequest, "The body is no record: " + err.Error()}
	}
	record := body.GraphRecord
	if err := consistent(&record); err != nil {
		return &httpError{http.StatusBadRequest, sentence(err)}
	}
	if body.SMILES != "" {
		record.TakeSMILES(body.SMILES, run.toolkit)
	}
	d := &drawn{record: record, form: &graphForm{}}
	if err := d.cut(record); err != nil {
		return err
	}
	d.draw(s, url.Values{})
	d.kept.Link = nil // a pasted graph has no address
	document := d.document()
	if x := record.Explanation; x != nil {
		document.Lead = []string{explains(run, x)}
	}
	page, err := document.Body()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = io.WriteString(w, string(page))
	return err
}

// consistent checks the numbers of a record that comes from a browser.
func consistent(g *explain.GraphRecord) error {
	n, m := len(g.Nodes), len(g.Edges)
	if n == 0 {
		return errors.New("the record has no nodes")
	}
	if m > mostRecordEdges {
		return fmt.Errorf("the record has %d edges, expected at most %d to draw", m, mostRecordEdges)
	}
	if g.Labels != nil && len(g.Labels) != n {
		return fmt.Errorf("the record has %d labels of %d nodes", len(g.Labels), n)
	}
	if g.EdgeNames != nil && len(g.EdgeNames) != m {
		return fmt.Errorf("the record has %d names of %d edges", len(g.EdgeNames), m)
	}
	for e, ends := range g.Edges {
		for _, v := range ends {
			if v < 0 || int(v) >= n {
				return fmt.Errorf("edge %d of the record ends in node %d of %d", e, v, n)
			}
		}
	}
	for _, d := range g.Drops {
		if len(d.Scores) != len(d.Edges) || len(d.Kept) != len(d.Edges) {
			return fmt.Errorf("layer %d of the record has %d edges, %d scores and %d decisions", d.Layer, len(d.Edges), len(d.Scores), len(d.Kept))
		}
		for _, e := range d.Edges {
			if e < 0 || int(e) >= m {
				return fmt.Errorf("layer %d of the record has edge %d of %d", d.Layer, e, m)
			}
		}
	}
	if c := g.Clusters; c != nil && (len(c.Cluster) != m || len(c.Weight) != m) {
		return fmt.Errorf("the record has %d clusters and %d weights of %d edges", len(c.Cluster), len(c.Weight), m)
	}
	if x := g.Explanation; x != nil && (len(x.Scores) != m || x.Spread != nil && len(x.Spread) != m) {
		return fmt.Errorf("the record has %d scores of %d edges", len(x.Scores), m)
	}
	if x := g.Explanation; x != nil && x.Item != nil {
		of := map[settings.Level]int{settings.Nodes: n, settings.Edges: m}[x.Item.Kind]
		if x.Item.Number < 0 || int(x.Item.Number) >= of {
			return fmt.Errorf("the record explains %s %d of %d", x.Item.Kind, x.Item.Number, of)
		}
	}
	return nil
}
