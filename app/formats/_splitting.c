/* Takes whole lines of runs and qrels apart, plain ones only.
 *
 * At anything out of the ordinary (a comment, a column too few, a sign that is neither letter nor blank) it stops and
 * says so: app/formats/runs.py and qrels.py then read the file carefully, and either cope or name the line. Every text
 * ends with a line feed, so that scanning for the end of a word always ends.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define ODD (-1)
#define LONGEST_ID 1000
#define MOST_DIGITS 19

enum { HARD = 0, EASY = 1 };

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct {
    const uint8_t *at;
    uint32_t width;
} Word;

static int is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* The next word of a line; its width is 0 at the line's end. */
static const uint8_t *next_word(const uint8_t *p, Word *word) {
    while (*p == ' ' || *p == '\t') p++;
    word->at = p;
    while (*p > ' ') p++;
    word->width = (uint32_t)(p - word->at);
    return p;
}

/* Past the end of the line, or NULL where something stands there that is neither blank nor line end. */
static const uint8_t *end_of_line(const uint8_t *p) {
    while (*p == ' ' || *p == '\t') p++;
    if (*p == '\r' && p[1] == '\n') p++;
    return *p == '\n' ? p + 1 : NULL;
}

static int is_same(Word one, Word other) {
    return one.width == other.width && memcmp(one.at, other.at, one.width) == 0;
}

static int is_usual_id(Word word) { return word.width > 0 && word.width <= LONGEST_ID; }

/* A comment, or a byte order mark in the middle of a file. */
static int is_usual_start(Word word) {
    return is_usual_id(word) && word.at[0] != '#' && !(word.width >= 3 && memcmp(word.at, "\xef\xbb\xbf", 3) == 0);
}

static int is_whole(Word word) {
    const uint8_t *p = word.at, *end = word.at + word.width;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return 0;
    while (p < end && is_digit(*p)) p++;
    return p == end;
}

#if defined(__SIZEOF_INT128__)
/* digits / 10^places for 1 <= places <= 19, to the nearest double, ties to even: by integers, so exactly. */
static double divided(uint64_t digits, int places) {
    uint64_t tens = 1;
    for (int i = 0; i < places; i++) tens *= 10;
    const int shift = __builtin_clzll(digits);
    const unsigned __int128 over = (unsigned __int128)(digits << shift) << 64;
    const unsigned __int128 quotient = over / tens;
    const int is_more = quotient * tens != over;
    const uint64_t high = (uint64_t)(quotient >> 64);
    const int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)quotient);
    const int dropped = bits - 53;
    uint64_t kept = (uint64_t)(quotient >> dropped);
    const unsigned __int128 rest = quotient - ((unsigned __int128)kept << dropped);
    const unsigned __int128 half = (unsigned __int128)1 << (dropped - 1);
    if (rest > half || (rest == half && (is_more || (kept & 1)))) kept++;
    return ldexp((double)kept, dropped - 64 - shift);
}
#endif

/* HARD where the score is for Python to read: many digits, a large exponent, or no number at all. */
static int read_score(Word word, double *score) {
    const uint8_t *p = word.at, *end = word.at + word.width;
    const int is_negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    uint64_t digits = 0;
    int count = 0, figures = 0, power = 0;
    for (int is_fraction = 0; p < end; p++) {
        if (*p == '.' && !is_fraction) {
            is_fraction = 1;
            continue;
        }
        if (!is_digit(*p)) break;
        figures = 1;
        if (count == MOST_DIGITS) return HARD;
        digits = digits * 10 + (uint64_t)(*p - '0');
        count += digits > 0;
        power -= is_fraction;
    }
    if (!figures) return HARD;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        const int is_small = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (p == end || end - p > 3) return HARD;
        int exponent = 0;
        for (; p < end && is_digit(*p); p++) exponent = exponent * 10 + (*p - '0');
        power += is_small ? -exponent : exponent;
    }
    if (p != end || FLT_EVAL_METHOD != 0) return HARD;
    double value;
    if (digits == 0)
        value = 0.0;
    else if (digits <= (1ULL << 53) && power >= 0 && power <= 22)
        value = (double)digits * TENS[power];
    else if (digits <= (1ULL << 53) && power < 0 && power >= -22)
        value = (double)digits / TENS[-power];
#if defined(__SIZEOF_INT128__)
    else if (power < 0 && power >= -MOST_DIGITS)
        value = divided(digits, -power);
#endif
    else
        return HARD;
    *score = is_negative ? -value : value;
    return EASY;
}

/* Lines `qid Q0 docno rank score tag` between text and end.
 *
 * For each row: where its docno stands and how wide it is, and its score. For each group of lines with the same qid
 * side by side: its first row, where its first line begins, and the qid. `hard` holds the rows whose score is left to
 * the caller, with its place. `tag` is one word for the whole file: empty on the first call, then the one found.
 * Answers the number of rows, or ODD.
 */
int64_t split_run(const uint8_t *text, int64_t size, uint32_t *docno_at, uint32_t *docno_width, double *score,
                  int64_t *group_row, int64_t *group_line, uint32_t *qid_at, uint32_t *qid_width, int64_t *groups,
                  int64_t *hard_row, uint32_t *hard_at, uint32_t *hard_width, int64_t *hards, uint8_t *tag,
                  uint32_t *tag_width) {
    const uint8_t *p = text, *end = text + size;
    Word last = {text, 0};
    int64_t row = 0;
    *groups = *hards = 0;
    while (p < end) {
        const uint8_t *line = p;
        Word qid, skipped, docno, rank, number, own_tag;
        p = next_word(p, &qid);
        if (qid.width == 0) {
            if (!(p = end_of_line(p))) return ODD;
            continue;
        }
        p = next_word(p, &skipped);
        p = next_word(p, &docno);
        p = next_word(p, &rank);
        p = next_word(p, &number);
        p = next_word(p, &own_tag);
        if (!own_tag.width || !is_usual_start(qid) || !is_usual_id(docno) || !is_whole(rank)) return ODD;
        if (docno.width == 2 && docno.at[0] == 'Q' && docno.at[1] == '0') return ODD;
        for (Word more = own_tag; more.width;) p = next_word(p, &more);
        if (!(p = end_of_line(p))) return ODD;
        if (*tag_width == 0 && own_tag.width <= LONGEST_ID) {
            memcpy(tag, own_tag.at, own_tag.width);
            *tag_width = own_tag.width;
        }
        if (!is_same(own_tag, (Word){tag, *tag_width})) return ODD;
        if (!is_same(qid, last)) {
            last = qid;
            group_row[*groups] = row;
            group_line[*groups] = line - text;
            qid_at[*groups] = (uint32_t)(qid.at - text);
            qid_width[*groups] = qid.width;
            ++*groups;
        }
        docno_at[row] = (uint32_t)(docno.at - text);
        docno_width[row] = docno.width;
        if (read_score(number, &score[row]) == HARD) {
            hard_row[*hards] = row;
            hard_at[*hards] = (uint32_t)(number.at - text);
            hard_width[*hards] = number.width;
            ++*hards;
        }
        row++;
    }
    return row;
}

/* Lines `qid iteration docno grade`, four words each, with a grade that is a whole number of at most nine digits. */
int64_t split_qrels(const uint8_t *text, int64_t size, uint32_t *docno_at, uint32_t *docno_width, double *grade,
                    int64_t *group_row, int64_t *group_line, uint32_t *qid_at, uint32_t *qid_width, int64_t *groups) {
    const uint8_t *p = text, *end = text + size;
    Word last = {text, 0};
    int64_t row = 0;
    *groups = 0;
    while (p < end) {
        const uint8_t *line = p;
        Word qid, iteration, docno, number;
        p = next_word(p, &qid);
        if (qid.width == 0) {
            if (!(p = end_of_line(p))) return ODD;
            continue;
        }
        p = next_word(p, &iteration);
        p = next_word(p, &docno);
        p = next_word(p, &number);
        if (!number.width || !is_usual_start(qid) || !is_usual_id(docno)) return ODD;
        if (number.width > 9 || !is_whole(number)) return ODD;
        if (!(p = end_of_line(p))) return ODD;
        if (!is_same(qid, last)) {
            last = qid;
            group_row[*groups] = row;
            group_line[*groups] = line - text;
            qid_at[*groups] = (uint32_t)(qid.at - text);
            qid_width[*groups] = qid.width;
            ++*groups;
        }
        int whole = 0;
        const int is_signed = number.at[0] == '-' || number.at[0] == '+';
        for (uint32_t i = (uint32_t)is_signed; i < number.width; i++) whole = whole * 10 + (number.at[i] - '0');
        grade[row] = number.at[0] == '-' ? -whole : whole;
        docno_at[row] = (uint32_t)(docno.at - text);
        docno_width[row] = docno.width;
        row++;
    }
    return row;
}
