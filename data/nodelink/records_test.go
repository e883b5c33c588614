package nodelink_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/nodelink"
)

// documents lists documents as NUMBER@LINE:NODES, and errors as NUMBER@LINE!.
func documents(r io.Reader) (out []string, last error) {
	for d, err := range nodelink.Documents(r, "x", nodelink.Options{}) {
		if err != nil {
			last = err
			out = append(out, fmt.Sprintf("%d@%d!", d.Number, d.Line))
			continue
		}
		out = append(out, fmt.Sprintf("%d@%d:%d", d.Number, d.Line, len(d.Nodes)))
	}
	return out, last
}

// A document that is wrong spoils no other, as far as it can be seen where others begin.
func TestDocumentsGoOn(t *testing.T) {
	const one, two = `{"nodes":[{"id":1}],"edges":[]}`, `{"nodes":[{"id":1},{"id":2}],"edges":[{"source":1,"target":2}]}`
	indented := strings.ReplaceAll(strings.ReplaceAll(two, "[", "[\n  "), ",\"edges", ",\n  \"edges")
	flat := strings.NewReplacer("{", "{\n", "[", "[\n", ",", ",\n", "}", "\n}").Replace(two) // as json.dump(indent=0) writes it
	for name, test := range map[string]struct{ text, want string }{
		"lines":                      {one + "\n" + two + "\n", "1@1:1 2@2:2"},
		"an unknown node":            {one + "\n" + `{"nodes":[],"edges":[{"source":1,"target":2}]}` + "\n" + two, "1@1:1 2@2! 3@3:2"},
		"a wrong value in the midst": {`{"nodes":[{"id":null,"a":{"b":[1]}}],"edges":[{"source":1,"target":2}]}` + "\n" + two, "1@1! 2@2:2"},
		"no JSON":                    {`{"nodes":[}` + "\n" + two, "1@1! 2@2:2"},
		"no JSON behind a document":  {one + "\nnodes\n" + two, "1@1:1 2@1! 3@3:2"},
		"cut short":                  {one + "\n" + two[:20] + "\n" + two, "1@1:1 2@2! 3@3:2"},
		"the first cut short":        {two[:20] + "\n" + two, "1@1! 2@2:2"},
		"blank lines":                {"\n\n" + one + "\n\n\n" + two + "\n\n", "1@3:1 2@6:2"},
		"several on a line":          {one + two + "\n" + one, "1@1:1 2@1:2 3@2:1"},
		"a wrong one of a line":      {one + `{"nodes":[1],"edges":[]} ` + two + "\n" + one, "1@1:1 2@1! 3@1:2 4@2:1"},
		"indented":                   {indented + "\n" + indented, "1@1:2 2@5:2"},
		"indented, one wrong":        {strings.Replace(indented, `"id":2`, `"id":1`, 1) + "\n" + indented, "1@1! 2@5:2"},
		"lines that begin with {":    {flat + "\n" + flat, "1@1:2 2@15:2"},
		"one behind the other":       {one + indented + "\n" + one, "1@1:1 2@1:2 3@5:1"},
		"a list":                     {"[" + one + ",\n" + two + "]", "1@1:1 2@2:2"},
		"a list with a wrong one":    {"[" + one + ",\n{\"nodes\":3,\"x\":[{}]},\n3,[4],\n" + two + "]", "1@1:1 2@2! 3@3! 4@3! 5@4:2"},
		"a list that ends early":     {"[" + one + ",", "1@1:1 2@1!"},
		"a mark of the order":        {"\ufeff" + one + "\n" + two, "1@1:1 2@2:2"},
		"nothing":                    {" \n", "0@1!"},
	} {
		got, err := documents(strings.NewReader(test.text))
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s: %s, want %s (%v)", name, text, test.want, err)
		}
	}
}

// A document is there before the next one is written.
func TestDocumentsWait(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan string)
	go func() {
		for d, err := range nodelink.Documents(r, "x", nodelink.Options{}) {
			got <- fmt.Sprint(d.Number, err != nil)
		}
		close(got)
	}()
	var all []string
	for _, line := range []string{`{"nodes":[],"edges":[]}`, `{"nodes":[],"edges":3}`, `{"nodes":[],"edges":[]}`} {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			t.Fatal(err)
		}
		all = append(all, <-got)
	}
	w.CloseWithError(errors.New("broken"))
	for text := range got {
		all = append(all, text)
	}
	if want := []string{"1 false", "2 true", "3 false", "4 true"}; !slices.Equal(all, want) {
		t.Errorf("%q, want %q", all, want)
	}
}
