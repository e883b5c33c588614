package items

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
)

// Columns that a Set adds to those of the file.
const (
	PartColumn  = "part"
	ErrorColumn = "error"
)

// ErrNone says that a run has no stored predictions: it has not finished, or had no test part.
var ErrNone = errors.New("the run has no stored predictions")

// Set is the stored predictions of a run. It may be used by any number of goroutines.
type Set struct {
	columns []column
	rows    int
	classes bool // one class per item is predicted
	// positive is the class, of two, that the run looks for; empty for none.
	positive string

	mu     sync.Mutex
	orders map[string][]int32 // of rows, by Query.Sort
}

// column is a column of texts, and of numbers where all of them are.
type column struct {
	name    string
	text    []string
	numbers []float64 // NaN for an empty text; nil where some text is no number
}

// Open reads the predictions in a run folder; ErrNone where there are none.
func Open(dir string) (*Set, error) {
	path := filepath.Join(dir, session.PredictionsFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("items: %s: %w", path, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	defer f.Close()
	s, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("items: %s: %w", path, err)
	}
	if e, err := session.ReadEnvironment(dir); err == nil {
		s.positive = e.Result.PositiveClass
	}
	return s, nil
}

func read(from io.Reader) (*Set, error) {
	r := csv.NewReader(from)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("no header: %w", err)
	}
	s := &Set{orders: map[string][]int32{}}
	for _, name := range header {
		if slices.ContainsFunc(s.columns, func(c column) bool { return c.name == name }) {
			return nil, fmt.Errorf("column %q is there twice", name)
		}
		s.columns = append(s.columns, column{name: name})
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, text := range row {
			s.columns[i].text = append(s.columns[i].text, text)
		}
		s.rows++
	}
	for i := range s.columns {
		s.columns[i].measure()
	}
	s.complete()
	return s, nil
}

// measure reads the texts of a column as numbers if all are, as JSON has them: 007 is a name.
func (c *column) measure() {
	numbers := make([]float64, len(c.text))
	for i, text := range c.text {
		numbers[i] = math.NaN()
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !json.Valid([]byte(text)) {
			return
		}
		numbers[i] = v
	}
	c.numbers = numbers
}

func (s *Set) find(name string) *column {
	if i := slices.IndexFunc(s.columns, func(c column) bool { return c.name == name }); i >= 0 {
		return &s.columns[i]
	}
	return nil
}

// Len is the number of items.
func (s *Set) Len() int { return s.rows }

// Classes reports whether one class of each item is predicted.
func (s *Set) Classes() bool { return s.classes }

// Columns are the names of the columns, those of the file first.
func (s *Set) Columns() []string {
	return lists.Map(s.columns, func(c column) string { return c.name })
}

// Number reports whether a column holds numbers, and so sorts and compares as such.
func (s *Set) Number(name string) bool {
	c := s.find(name)
	return c != nil && c.numbers != nil
}

// DefaultSort is the order that serves a reader best: where one of two classes is looked for,
// as fraud, items by its probability; else the worst errors first; else as stored.
func (s *Set) DefaultSort() string {
	switch name := "probability_" + s.positive; {
	case s.positive != "" && s.find(name) != nil:
		return "-" + name
	case s.find(ErrorColumn) != nil:
		return "-" + ErrorColumn
	}
	return ""
}

// order is that of rows by a column; numbers that are missing come last.
func (s *Set) order(by string) ([]int32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.orders[by]; ok {
		return o, nil
	}
	order := lists.Range[int32](s.rows)
	if by != "" && by != RowSort {
		name, falling := strings.CutPrefix(by, "-")
		c := s.find(name)
		if c == nil {
			return nil, &QueryError{"sort", fmt.Sprintf("no column %q, expected one of %s, with - before it to begin with the largest", name, strings.Join(s.Columns(), ", "))}
		}
		slices.SortStableFunc(order, func(a, b int32) int { return c.compare(a, b, falling) })
	}
	if len(s.orders) >= mostOrders {
		clear(s.orders)
	}
	s.orders[by] = order
	return order, nil
}

// mostOrders is how many orders a Set keeps.
const mostOrders = 8

func (c *column) compare(a, b int32, falling bool) int {
	if c.numbers == nil {
		if falling {
			a, b = b, a
		}
		return strings.Compare(c.text[a], c.text[b])
	}
	x, y := c.numbers[a], c.numbers[b]
	switch {
	case x != x && y != y || x == y:
		return 0
	case x != x: // missing
		return 1
	case y != y || (x > y) == falling:
		return -1
	}
	return 1
}
