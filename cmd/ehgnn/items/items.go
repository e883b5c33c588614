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

// Columns that a Set adds to the columns of the file.
const (
	PartColumn  = "part"
	ErrorColumn = "error"
)

// ErrNone says that a run has no stored predictions: it is unfinished, or has no test part.
var ErrNone = errors.New("the run has no stored predictions")

// Set has the stored predictions of a run. Several goroutines may use it.
type Set struct {
	columns []column
	rows    int
	classes bool // one class for each item is predicted
	// positive is the positive one of two classes; empty for none.
	positive string

	mu     sync.Mutex
	orders map[string][]int32 // row orders by Query.Sort
}

// column is a column of texts, and of numbers if all texts are numbers.
type column struct {
	name    string
	text    []string
	numbers []float64 // NaN for an empty text; nil if some text is not a number
}

// Open reads the predictions in a run folder; ErrNone if there are none.
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

// measure parses the texts of a column as numbers, if all are valid JSON numbers: 007 is a name.
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

// Classes reports whether one class for each item is predicted.
func (s *Set) Classes() bool { return s.classes }

// Columns returns the names of the columns, those of the file first.
func (s *Set) Columns() []string {
	return lists.Map(s.columns, func(c column) string { return c.name })
}

// Number reports whether a column holds numbers and is sorted and compared as such.
func (s *Set) Number(name string) bool {
	c := s.find(name)
	return c != nil && c.numbers != nil
}

// DefaultSort is the most useful order: with a positive class, such as fraud, items by its
// probability; otherwise the largest errors first; without errors, the stored order.
func (s *Set) DefaultSort() string {
	switch name := "probability_" + s.positive; {
	case s.positive != "" && s.find(name) != nil:
		return "-" + name
	case s.find(ErrorColumn) != nil:
		return "-" + ErrorColumn
	}
	return ""
}

// order returns the rows sorted by a column; missing numbers come last.
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
			return nil, &QueryError{"sort", fmt.Sprintf("no column %q, expected one of %s, with - before it for the largest first", name, strings.Join(s.Columns(), ", "))}
		}
		slices.SortStableFunc(order, func(a, b int32) int { return c.compare(a, b, falling) })
	}
	if len(s.orders) >= mostOrders {
		clear(s.orders)
	}
	s.orders[by] = order
	return order, nil
}

// mostOrders is how many orders a Set caches.
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
