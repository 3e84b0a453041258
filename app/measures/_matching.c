/* Finds the judged documents in rankings, and the rank of each: what app/measures/matching.py does in Python where
 * there is no compiled core. Both answer the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_MEMORY (-2)

enum { BY_DOCNO = 0, BY_DOCNO_32_BITS = 1, BY_POSITION = 2 };

typedef struct {
    const uint8_t *text;
    const int64_t *at;
    const int64_t *width;
} Ids;

typedef struct {
    const uint8_t *text;
    const uint32_t *at;
    const uint32_t *width;
    const double *score;
} Rows;

static uint64_t mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
}

static uint64_t hash(const uint8_t *id, uint32_t width, uint64_t seed) {
    uint64_t h = mixed(seed, width), word;
    for (; width >= 8; width -= 8, id += 8) {
        memcpy(&word, id, 8);
        h = mixed(h, word);
    }
    word = 0;
    memcpy(&word, id, width);
    h = mixed(h, word);
    return h ^ (h >> 32);
}

/* A table of twice the places at least, a power of two. */
static int64_t places_for(int64_t ids) {
    int64_t places = 4;
    while (places < 2 * ids) places *= 2;
    return places;
}

/* Where each query's table begins, in `start` of queries + 1; answers the size of all of them together. */
int64_t size_tables(int64_t queries, const int64_t *first, int64_t *start) {
    int64_t size = 0;
    for (int64_t q = 0; q < queries; q++) {
        start[q] = size;
        size += places_for(first[q + 1] - first[q]);
    }
    start[queries] = size;
    return size;
}

/* Fills the tables, which come as zeros: a place holds a judgment's number + 1. Answers the number of a judgment whose
 * document has been judged for its query before, or -1. */
int64_t fill_tables(const uint8_t *text, const int64_t *at, const int64_t *width, int64_t queries,
                    const int64_t *first, const int64_t *start, uint32_t *table, uint64_t seed) {
    for (int64_t q = 0; q < queries; q++) {
        uint32_t *own = table + start[q];
        const uint64_t mask = (uint64_t)(start[q + 1] - start[q]) - 1;
        for (int64_t j = first[q]; j < first[q + 1]; j++) {
            uint64_t place = hash(text + at[j], (uint32_t)width[j], seed) & mask;
            for (; own[place]; place = (place + 1) & mask) {
                const int64_t other = (int64_t)own[place] - 1;
                if (width[other] == width[j] && !memcmp(text + at[other], text + at[j], (size_t)width[j])) return j;
            }
            own[place] = (uint32_t)(j + 1);
        }
    }
    return -1;
}

/* Below 0 where row a comes before row b. */
static int compare(const Rows *rows, const double *value, int64_t from, uint32_t a, uint32_t b, int ties) {
    if (value[a] != value[b]) return value[a] > value[b] ? -1 : 1;
    if (ties != BY_POSITION) {
        const uint32_t width_a = rows->width[from + a], width_b = rows->width[from + b];
        const int order = memcmp(rows->text + rows->at[from + a], rows->text + rows->at[from + b],
                                 width_a < width_b ? width_a : width_b);
        if (order) return -order;
        if (width_a != width_b) return width_a > width_b ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

/* Merges runs of ever twice the length; what is in order already is passed over. */
static uint32_t *sorted(const Rows *rows, const double *value, int64_t from, int64_t n, int ties, uint32_t *order,
                        uint32_t *spare) {
    for (int64_t length = 1; length < n; length *= 2) {
        for (int64_t low = 0; low < n; low += 2 * length) {
            const int64_t middle = low + length < n ? low + length : n;
            const int64_t high = low + 2 * length < n ? low + 2 * length : n;
            if (middle == high || compare(rows, value, from, order[middle - 1], order[middle], ties) < 0) {
                memcpy(spare + low, order + low, (size_t)(high - low) * sizeof *order);
                continue;
            }
            int64_t left = low, right = middle;
            for (int64_t to = low; to < high; to++) {
                const int takes_left =
                    left < middle &&
                    (right == high || compare(rows, value, from, order[left], order[right], ties) < 0);
                spare[to] = takes_left ? order[left++] : order[right++];
            }
        }
        uint32_t *swapped = order;
        order = spare;
        spare = swapped;
    }
    return order;
}

/* Every ranking of rows[start[i]] to rows[start[i + 1]], for the judged query number code[i], or -1 where it has none.
 *
 * For each judged document that is found, in the order of its ranking: the judgment's number, its rank, and the first
 * rank and the size of the group of equal scores that it stands in. `ends[i]` is how many were found up to and with
 * ranking i. Answers -1, or the row of a document that stands in its ranking for the second time, or NO_MEMORY.
 */
int64_t match(const uint8_t *text, const uint32_t *at, const uint32_t *width, const double *score, int64_t rankings,
              const int64_t *start, const int64_t *code, const uint8_t *judged_text, const int64_t *judged_at,
              const int64_t *judged_width, const int64_t *table_start, const uint32_t *table, uint64_t seed, int ties,
              int64_t *judgment, int64_t *rank, int64_t *first, int64_t *size, int64_t *ends) {
    const Rows rows = {text, at, width, score};
    const Ids ids = {judged_text, judged_at, judged_width};
    int64_t longest = 1, found = 0, answer = -1;
    for (int64_t i = 0; i < rankings; i++)
        if (start[i + 1] - start[i] > longest) longest = start[i + 1] - start[i];
    const int64_t most = places_for(longest);
    double *value = malloc((size_t)longest * sizeof *value);
    uint64_t *hashes = malloc((size_t)longest * sizeof *hashes);
    uint32_t *orders = malloc(2 * (size_t)longest * sizeof *orders);
    uint32_t *seen = malloc((size_t)most * sizeof *seen);
    if (!value || !hashes || !orders || !seen) {
        answer = NO_MEMORY;
        rankings = 0;
    }
    for (int64_t i = 0; i < rankings; i++) {
        const int64_t from = start[i], n = start[i + 1] - from, places = places_for(n);
        const uint64_t mask = (uint64_t)places - 1;
        int is_in_order = 1;
        memset(seen, 0, (size_t)places * sizeof *seen);
        for (int64_t r = 0; r < n; r++) {
            const uint8_t *id = text + at[from + r];
            const uint32_t length = width[from + r];
            value[r] = ties == BY_DOCNO_32_BITS ? (double)(float)score[from + r] : score[from + r];
            if (r && !(value[r] < value[r - 1])) is_in_order = 0;
            orders[r] = (uint32_t)r;
            hashes[r] = hash(id, length, seed);
            uint64_t place = hashes[r] & mask;
            for (; seen[place]; place = (place + 1) & mask) {
                const uint32_t other = seen[place] - 1;
                if (hashes[other] == hashes[r] && width[from + other] == length &&
                    !memcmp(text + at[from + other], id, length)) {
                    answer = from + r;
                    goto done;
                }
            }
            seen[place] = (uint32_t)(r + 1);
        }
        if (code[i] >= 0) {
            const uint32_t *order = is_in_order ? orders : sorted(&rows, value, from, n, ties, orders, orders + longest);
            const uint32_t *own = table + table_start[code[i]];
            const uint64_t own_mask = (uint64_t)(table_start[code[i] + 1] - table_start[code[i]]) - 1;
            for (int64_t low = 0, high; low < n; low = high) {
                for (high = low + 1; high < n && value[order[high]] == value[order[low]];) high++;
                for (int64_t r = low; r < high; r++) {
                    const uint8_t *id = text + at[from + order[r]];
                    const uint32_t length = width[from + order[r]];
                    for (uint64_t place = hashes[order[r]] & own_mask; own[place]; place = (place + 1) & own_mask) {
                        const int64_t j = (int64_t)own[place] - 1;
                        if (ids.width[j] == length && !memcmp(ids.text + ids.at[j], id, length)) {
                            judgment[found] = j;
                            rank[found] = r + 1;
                            first[found] = low + 1;
                            size[found] = high - low;
                            found++;
                            break;
                        }
                    }
                }
            }
        }
        ends[i] = found;
    }
done:
    free(value);
    free(hashes);
    free(orders);
    free(seen);
    return answer;
}
