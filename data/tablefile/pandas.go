package tablefile

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ehgnn/ehgnn/data/schema"
)

// indexName is the name that pandas gives an index without a name.
var indexName = regexp.MustCompile(`^__index_level_\d+__$`)

// pandasIndices returns the columns of indices without a name that pandas wrote.
func pandasIndices(s *arrow.Schema) []int {
	text, ok := s.Metadata().GetValue("pandas")
	if !ok {
		return nil
	}
	var pandas struct {
		Indices []any `json:"index_columns"`
	}
	if err := json.Unmarshal([]byte(text), &pandas); err != nil {
		return nil // the index description is pandas metadata, not part of the table
	}
	var found []int
	for _, index := range pandas.Indices {
		name, ok := index.(string) // otherwise a range, which is not a column
		if !ok || !indexName.MatchString(name) {
			continue
		}
		for _, i := range s.FieldIndices(name) {
			if arrow.IsInteger(s.Field(i).Type.ID()) {
				found = append(found, i)
			}
		}
	}
	return found
}

// leaveOut returns columns that only count the rows, if the table has other columns.
func leaveOut(t TypedTable, columns []int) (map[int]bool, []Left, error) {
	var left []Left
	out := map[int]bool{}
	for _, i := range columns {
		b, at, err := t.Again(i)
		if err != nil {
			return nil, nil, err
		}
		ok, err := counts(b, at)
		b.Close()
		if err != nil {
			return nil, nil, err
		}
		if ok && t.Schema.NumFields() > 1 {
			out[i] = true
			left = append(left, Left{At: i, Name: t.Schema.Field(i).Name, Why: isCounting})
		}
	}
	return out, left, nil
}

// counts reports whether a column counts the rows from 0.
func counts(b Batches, column int) (bool, error) {
	var cells [blockRows]schema.Cell
	row := int64(0)
	for {
		batch, err := b.Next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		f, err := fillOf(batch.Column(column))
		if err != nil {
			return false, err
		}
		for from := 0; from < int(batch.NumRows()); from += len(cells) {
			n := min(len(cells), int(batch.NumRows())-from)
			if _, err := f(from, n, cells[:], 1); err != nil {
				return false, err
			}
			for _, c := range cells[:n] {
				if c.Kind != schema.Integer || c.Integer != row || c.Text != "" {
					return false, nil
				}
				row++
			}
		}
	}
}
