package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is the error format of replies (RFC 9457).
type Problem struct {
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status" doc:"The status of the reply."`
	Detail string `json:"detail" doc:"What is wrong."`
	// Pointer is the place in the body (RFC 6901).
	Pointer  string `json:"pointer,omitempty" doc:"The place in the body, as a JSON pointer." example:"/graphs/3/edges/7"`
	Expected string `json:"expected,omitempty" doc:"What was expected there."`
	Found    string `json:"found,omitempty" doc:"What is there."`
	Line     int    `json:"line,omitempty" doc:"The line of a body of NDJSON, from 1."`
	Inferred string `json:"error,omitempty" doc:"What is wrong and where, for clients of the Open Inference Protocol: of the routes below /v2 alone."`
}

// Error implements error.
func (p *Problem) Error() string {
	text := p.Detail
	if p.Pointer != "" {
		text = p.Pointer + ": " + text
	}
	return text
}

// GetStatus and ContentType are for package huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is the media type of problems.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// Package huma calls this function to make its errors, and describes all errors by its result.
func init() {
	huma.DefaultArrayNullable = false // lists are never null, in requests and replies
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		for _, err := range errs {
			message += "; " + err.Error()
		}
		return problemf(status, "%s", message)
	}
}

// problemf returns a Problem.
func problemf(status int, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// wrong returns the Problem of a value of a graph.
func wrong(found, expected string) *Problem {
	p := problemf(http.StatusUnprocessableEntity, "found %s, expected %s", found, expected)
	p.Found, p.Expected = found, expected
	return p
}

// in adds members of objects, the outermost first, to the start of the pointer.
func (p *Problem) in(names ...string) *Problem {
	for _, name := range slices.Backward(names) {
		p.Pointer = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name) + p.Pointer
	}
	return p
}

// at adds an index of a list to the start of the pointer.
func (p *Problem) at(i int) *Problem {
	p.Pointer = "/" + strconv.Itoa(i) + p.Pointer
	return p
}

// write sends the problem as a reply.
func (p *Problem) write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil { // strings and whole numbers can always be encoded
		panic(err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.Inferred != "" { // clients of the protocol read no other media type
		h.Set("Content-Type", mediaTypes[formatJSON])
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	w.Write(text) // the client may have gone
}
