package tablefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// tellApart gives each of several columns with one name, but the first, a name of its own, as
// pandas does: Account, Account.1, Account.2. Names are compared without regard to case. It
// changes names in place and returns the notes.
func tellApart(names []string) []string {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[schema.FoldName(n)] = true
	}
	seen := make(map[string]int, len(names)) // how many columns of a name were there
	var notes []string
	for i, n := range names {
		key := schema.FoldName(n)
		k := seen[key]
		seen[key] = max(k, 1)
		if k == 0 {
			continue
		}
		for ; taken[schema.FoldName(suffixed(n, k))]; k++ {
		}
		names[i] = suffixed(n, k)
		taken[schema.FoldName(names[i])], seen[key] = true, k+1
		notes = append(notes, fmt.Sprintf("two columns are called %q; the one at column %d is called %q here", n, i+1, names[i]))
	}
	return shortened(notes, "columns have the name of another one, too")
}

func suffixed(name string, k int) string { return fmt.Sprintf("%s.%d", name, k) }

// shortened is some notes of one kind, and how many more there were.
func shortened(notes []string, more string) []string {
	const most = 10
	if len(notes) <= most {
		return notes
	}
	return append(notes[:most:most], fmt.Sprintf("%d more %s", len(notes)-most, more))
}

// neo4jID matches the names that the import of Neo4j has for ids: personId:ID(Person), :START_ID(Person) and :END_ID.
var neo4jID = regexp.MustCompile(`^[^:]*:((?:START_|END_)?ID)(?:[({].*)?$`)

// neo4jType matches a name with the type that the import of Neo4j has behind it: amount:float.
var neo4jType = regexp.MustCompile(`^([^:]+):(?:int|long|float|double|boolean|byte|short|char|string|date|localtime|time|localdatetime|datetime|duration|point)(?:\[\])?(?:\{.*\})?$`)

// recBoleType matches a name of RecBole's atomic files, which have the type behind each name: user_id:token.
var recBoleType = regexp.MustCompile(`^([^:]+):(?:token|float)(?:_seq)?$`)

// withoutTypes are the names of a header without the types that RecBole and the import of Neo4j put behind them. The latter names ids: id,
// start_id and end_id.
func withoutTypes(names []string) []string {
	if !slices.ContainsFunc(names, func(n string) bool { return !recBoleType.MatchString(n) }) {
		return lists.Map(names, func(n string) string { return recBoleType.ReplaceAllString(n, "$1") })
	}
	if !slices.ContainsFunc(names, neo4jID.MatchString) {
		return names
	}
	return lists.Map(names, func(n string) string {
		if id := neo4jID.FindStringSubmatch(n); id != nil {
			return strings.ToLower(id[1])
		}
		return neo4jType.ReplaceAllString(n, "$1")
	})
}
